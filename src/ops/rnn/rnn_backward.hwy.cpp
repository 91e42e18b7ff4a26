#include <algorithm>

#include "cpu/simd/targets.h"
#include "ops/rnn/rnn_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rnn/rnn_backward.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/rnn/rnn_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::rnn::HWY_NAMESPACE {

constexpr int kVectors = 4;  // vectors of a block

std::int64_t backward_units(Mode) { return kVectors * kLanes(); }

/// Distance of the rows of dh and dc: whole blocks, so that products are stored as whole vectors.
HWY_INLINE std::int64_t padded(std::int64_t hidden) {
  const std::int64_t units = kVectors * kLanes();
  return (hidden + units - 1) / units * units;
}

void pack_columns(const Layer& l, const float* weight, Range blocks, float* packed) {
  const std::int64_t units = kVectors * kLanes(), k = gate_count(l.mode) * l.hidden;
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
    const std::int64_t begin = b * units, count = std::min(units, l.hidden - begin);
    float* to = packed + b * units * k;
    for (std::int64_t i = 0; i < k; ++i, to += units) {
      std::copy_n(weight + i * l.hidden + begin, count, to);
      std::fill_n(to + count, units - count, 0.0f);
    }
  }
}

/// Computes the gradients of `n` hidden units from unit `j` on of row `r`.
template <Mode m> HWY_INLINE void differentiate_units(const Layer& l, const BackwardStep& s,
                                                      std::int64_t r, std::int64_t j,
                                                      const Lanes& lanes) {
  const std::int64_t size = l.hidden, row = workspace_parts(m) * size;
  const float* const saved = s.workspace + r * row + j;
  const auto part = [&](std::int64_t i) HWY_ATTR { return lanes.load(saved + i * size); };
  float* const gates = s.gates + r * gradient_parts(m) * size + j;
  const auto store = [&](std::int64_t i, V v) HWY_ATTR { lanes.store(v, gates + i * size); };
  /// Returns part i of the previous step, or the initial state.
  const auto previous = [&](std::int64_t i) HWY_ATTR {
    if (r < s.previous_rows) return lanes.load(s.previous + r * row + i * size + j);
    return s.initial ? lanes.load(s.initial + r * size + j) : hn::Zero(D());
  };
  const V one = hn::Set(D(), 1.0f);
  /// Multiplies by the derivative y (1 - y) of the sigmoid, or 1 - y^2 of tanh.
  const auto through_sigmoid = [&](V g, V y)
                                   HWY_ATTR { return hn::Mul(g, hn::Mul(y, hn::Sub(one, y))); };
  const auto through_tanh = [&](V g, V y) HWY_ATTR { return hn::Mul(g, hn::NegMulAdd(y, y, one)); };
  float* const dh_at = s.dh + r * padded(size) + j;
  V dh = hn::LoadU(D(), dh_at);
  if (s.grad_output) dh = hn::Add(dh, lanes.load(s.grad_output + r * size + j));
  if constexpr (m == Mode::lstm) {
    float* const dc_at = s.dc + r * padded(size) + j;
    const V i = part(0), f = part(1), g = part(2), o = part(3), c = math::vec_tanh(D(), part(4));
    const V dc = hn::Add(hn::LoadU(D(), dc_at), through_tanh(hn::Mul(dh, o), c));
    store(0, through_sigmoid(hn::Mul(dc, g), i));
    store(1, through_sigmoid(hn::Mul(dc, previous(4)), f));
    store(2, through_tanh(hn::Mul(dc, i), g));
    store(3, through_sigmoid(hn::Mul(dh, c), o));
    hn::StoreU(hn::Mul(dc, f), D(), dc_at);
  } else if constexpr (m == Mode::gru) {
    const V reset = part(0), z = part(1), n = part(2), sum = part(3);
    const V dn = through_tanh(hn::Mul(dh, hn::Sub(one, z)), n);
    store(0, dn);
    store(1, through_sigmoid(hn::Mul(dn, sum), reset));
    store(2, through_sigmoid(hn::Mul(dh, hn::Sub(previous(hidden_part(m)), n)), z));
    store(3, hn::Mul(dn, reset));
    hn::StoreU(hn::Mul(dh, z), D(), dh_at);
  } else {
    const V h = part(0);
    store(0, m == Mode::rnn_tanh ? through_tanh(dh, h)
                                 : hn::IfThenElse(hn::Le(h, hn::Zero(D())), hn::Zero(D()), dh));
  }
}

/// Adds the products of next_gates to a block of dh. Only a GRU has stored other terms in dh.
HWY_INLINE void add_block_products(const Layer& l, const BackwardStep& s, Range rows,
                                   std::int64_t block) {
  const std::int64_t end = std::min(rows.end, s.next_rows);
  if (!s.next_gates || rows.begin >= end) return;
  const std::int64_t units = kVectors * kLanes(), k = gate_count(l.mode) * l.hidden;
  const std::int64_t row = gradient_parts(l.mode) * l.hidden, dh_row = padded(l.hidden);
  multiply<kVectors>(end - rows.begin, k, s.next_gates + rows.begin * row + (row - k), row,
                     l.packed + block * units * k, s.dh + rows.begin * dh_row + block * units,
                     dh_row, l.mode == Mode::gru);
}

template <Mode m> HWY_NOINLINE void differentiate_blocks(const Layer& l, const BackwardStep& s,
                                                         Range rows, Range blocks) {
  const std::int64_t lanes = kLanes(), units = kVectors * lanes;
  const std::int64_t last_row = std::min(rows.end, s.rows);
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
    add_block_products(l, s, rows, b);
    const std::int64_t first = b * units, end = std::min(first + units, l.hidden);
    for (std::int64_t r = rows.begin; r < last_row; ++r)
      for (std::int64_t j = first; j < end; j += lanes)
        differentiate_units<m>(l, s, r, j, Lanes(end - j));
  }
}

void run_backward(const Layer& l, const BackwardStep& s, Range rows, Range blocks) {
  switch (l.mode) {
    case Mode::rnn_tanh: return differentiate_blocks<Mode::rnn_tanh>(l, s, rows, blocks);
    case Mode::rnn_relu: return differentiate_blocks<Mode::rnn_relu>(l, s, rows, blocks);
    case Mode::lstm: return differentiate_blocks<Mode::lstm>(l, s, rows, blocks);
    case Mode::gru: return differentiate_blocks<Mode::gru>(l, s, rows, blocks);
  }
}

void run_products(const Layer& l, const BackwardStep& s, Range rows, Range blocks) {
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) add_block_products(l, s, rows, b);
}

}  // namespace taper::rnn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::rnn {

HWY_EXPORT(backward_units);
HWY_EXPORT(pack_columns);
HWY_EXPORT(run_backward);
HWY_EXPORT(run_products);

std::int64_t backward_block(Mode mode) { return HWY_DYNAMIC_DISPATCH(backward_units)(mode); }
void pack_backward(const Layer& layer, const float* weight, Range blocks, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_columns)(layer, weight, blocks, packed);
}
void run_step(const Layer& layer, const BackwardStep& step, Range rows, Range blocks) {
  HWY_DYNAMIC_DISPATCH(run_backward)(layer, step, rows, blocks);
}
void add_products(const Layer& layer, const BackwardStep& step, Range rows, Range blocks) {
  HWY_DYNAMIC_DISPATCH(run_products)(layer, step, rows, blocks);
}

}  // namespace taper::rnn
#endif
