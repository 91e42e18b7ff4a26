#include <algorithm>

#include "cpu/scratch.h"
#include "cpu/simd/targets.h"
#include "ops/rnn/rnn_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/rnn/rnn_forward.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ops/rnn/rnn_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::rnn::HWY_NAMESPACE {

/// Number of vectors of hidden units of a block: the vectors of all gates fill the register tile.
constexpr int unit_vectors(Mode m) {
  return m == Mode::lstm ? 1 : m == Mode::gru ? (tile::kTileVectors == 4 ? 1 : 2) : 4;
}
constexpr int forward_vectors(Mode m) { return static_cast<int>(gate_count(m)) * unit_vectors(m); }

std::int64_t units_of_block(Mode m) { return unit_vectors(m) * kLanes(); }

void pack_gates(const Layer& l, const float* weight, Range blocks, float* packed) {
  const std::int64_t units = units_of_block(l.mode), gates = gate_count(l.mode);
  const std::int64_t row = gates * units;
  const cpu::Scratch scratch(static_cast<std::size_t>(units * l.hidden) * sizeof(float));
  float* const gate = scratch.as<float>();
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
    const std::int64_t begin = b * units, count = std::min(units, l.hidden - begin);
    const std::int64_t width = (count + kLanes() - 1) / kLanes() * kLanes();
    float* const to = packed + b * row * l.hidden;
    for (std::int64_t g = 0; g < gates; ++g) {
      tile::pack_transposed(D(), l.hidden, count, weight + (g * l.hidden + begin) * l.hidden,
                            l.hidden, gate);
      for (std::int64_t k = 0; k < l.hidden; ++k) {
        float* const column = to + k * row + g * units;
        std::copy_n(gate + k * width, width, column);
        std::fill_n(column + width, units - width, 0.0f);
      }
    }
  }
}

/// Products of the previous state of one row with the weights of a block.
struct Products {
  const float* at;
  std::int64_t gate;  ///< distance of gates
};

/// Computes `n` hidden units from unit `j` on of row `r`.
template <Mode m> HWY_INLINE void run_units(const Layer& l, const ForwardStep& s, std::int64_t r,
                                            std::int64_t j, const Products& p, const Lanes& lanes) {
  const float* const x = s.input + r * s.input_row + j;
  const std::int64_t at = r * l.hidden + j, size = l.hidden;
  float* const saved = s.workspace ? s.workspace + r * workspace_parts(m) * size + j : nullptr;
  const auto save = [&](std::int64_t part, V v) HWY_ATTR {
    if (saved) lanes.store(v, saved + part * size);
  };
  const auto gate = [&](std::int64_t g) HWY_ATTR {
    return hn::Add(lanes.load(x + g * size), lanes.load(p.at + g * p.gate));
  };
  V h;
  if constexpr (m == Mode::lstm) {
    const V i = math::vec_sigmoid(D(), gate(0)), f = math::vec_sigmoid(D(), gate(1));
    const V g = math::vec_tanh(D(), gate(2)), o = math::vec_sigmoid(D(), gate(3));
    const V c = hn::MulAdd(f, lanes.load(s.c + at), hn::Mul(i, g));
    h = hn::Mul(o, math::vec_tanh(D(), c));
    lanes.store(c, s.c + at);
    save(0, i), save(1, f), save(2, g), save(3, o), save(4, c);
  } else if constexpr (m == Mode::gru) {
    const V reset = math::vec_sigmoid(D(), gate(0)), z = math::vec_sigmoid(D(), gate(1));
    V sum = lanes.load(p.at + 2 * p.gate);
    if (s.s_bias) sum = hn::Add(sum, lanes.load(s.s_bias + j));
    const V n = math::vec_tanh(D(), hn::MulAdd(reset, sum, lanes.load(x + 2 * size)));
    const V before = s.h ? lanes.load(s.h + at) : hn::Zero(D());
    h = hn::MulAdd(hn::Sub(before, n), z, n);
    save(0, reset), save(1, z), save(2, n), save(3, sum);
  } else if constexpr (m == Mode::rnn_tanh) {
    h = math::vec_tanh(D(), gate(0));
  } else {
    const V y = gate(0);
    h = hn::IfThenElse(hn::Lt(y, hn::Zero(D())), hn::Zero(D()), y);  // hn::Max drops NaN
  }
  save(hidden_part(m), h);
  lanes.store(h, s.output + at);
  if (s.next_h) lanes.store(h, s.next_h + at);
}

template <Mode m>
HWY_NOINLINE void run_blocks(const Layer& l, const ForwardStep& s, Range rows, Range blocks) {
  constexpr int vectors = forward_vectors(m);
  const std::int64_t lanes = kLanes(), units = unit_vectors(m) * lanes, width = vectors * lanes;
  HWY_ALIGN float products[kRows * vectors * hn::MaxLanes(D())];
  const bool computed = !s.product && s.h;
  if (!s.product && !s.h) std::fill_n(products, kRows * width, 0.0f);
  for (std::int64_t b = blocks.begin; b < blocks.end; ++b)
    for (std::int64_t begin = rows.begin; begin < rows.end; begin += kRows) {
      const std::int64_t count = std::min(kRows, rows.end - begin);
      if (computed)
        multiply<vectors>(count, l.hidden, s.h + begin * l.hidden, l.hidden,
                          l.packed + b * width * l.hidden, products, width, false);
      const std::int64_t first = b * units, end = std::min(first + units, l.hidden);
      for (std::int64_t r = begin; r < begin + count; ++r)
        for (std::int64_t j = first; j < end; j += lanes) {
          Products p{products + (r - begin) * width + (j - first), units};
          if (s.product) p = {s.product + r * gate_count(m) * l.hidden + j, l.hidden};
          run_units<m>(l, s, r, j, p, Lanes(end - j));
        }
    }
}

void run_forward(const Layer& l, const ForwardStep& s, Range rows, Range blocks) {
  switch (l.mode) {
    case Mode::rnn_tanh: return run_blocks<Mode::rnn_tanh>(l, s, rows, blocks);
    case Mode::rnn_relu: return run_blocks<Mode::rnn_relu>(l, s, rows, blocks);
    case Mode::lstm: return run_blocks<Mode::lstm>(l, s, rows, blocks);
    case Mode::gru: return run_blocks<Mode::gru>(l, s, rows, blocks);
  }
}

}  // namespace taper::rnn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::rnn {

HWY_EXPORT(units_of_block);
HWY_EXPORT(pack_gates);
HWY_EXPORT(run_forward);

std::int64_t forward_block(Mode mode) { return HWY_DYNAMIC_DISPATCH(units_of_block)(mode); }
void pack_forward(const Layer& layer, const float* weight, Range blocks, float* packed) {
  HWY_DYNAMIC_DISPATCH(pack_gates)(layer, weight, blocks, packed);
}
void run_step(const Layer& layer, const ForwardStep& step, Range rows, Range blocks) {
  HWY_DYNAMIC_DISPATCH(run_forward)(layer, step, rows, blocks);
}

}  // namespace taper::rnn
#endif
