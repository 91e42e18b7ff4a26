#include <algorithm>

#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "ops/rnn/rnn_division.h"
#include "ops/rnn/rnn_layer.h"
#include "ops/rnn/rnn_operands.h"

namespace taper {
namespace rnn {
namespace {

/// Range of rows of the weights and the part of the gradients of the gates that belongs to them.
struct GateRange {
  std::int64_t weight_row, count, gate;
};

class Backward {
 public:
  Backward(const RnnLayerBackward& o, const KernelArgs& k)
      : layer_{*mode_of(o.mode), (*k.in[2].shape)[1]},
        size_(layer_.hidden),
        gates_(gate_count(layer_.mode) * size_),
        gate_row_(gradient_parts(layer_.mode) * size_),
        saved_row_(workspace_parts(layer_.mode) * size_),
        rows_((*k.in[0].shape)[0]),
        inputs_((*k.in[0].shape)[1]),
        steps_(steps_of(o.batch_sizes, o.reverse)),
        batch_(o.batch_sizes[0]),
        x_(k.in[0]),
        weight_ih_(k.in[1]),
        weight_hh_(k.in[2]),
        workspace_(k.in[5]),
        hx_(k, 3),
        cx_(k, 4),
        grad_output_(k, 6),
        grad_hy_(k, 7),
        grad_cy_(k, 8),
        out_(k.out),
        packs_(steps_.size() >= kMinPackedSteps),
        block_(backward_block(layer_.mode)),
        blocks_(block_count(size_, block_)) {}

  void run();

 private:
  BackwardStep make_step(std::size_t s, float* gates, float* dh, float* dc) const;
  void run_steps(float* gates, float* dh, float* dc) const;
  void multiply_gates(const Step& step, const float* gates, float* dh) const;
  void grad_input(const float* gates) const;
  void grad_weight_ih(const float* gates) const;
  void grad_weight_hh(const float* gates) const;
  void grad_biases(const float* gates) const;

  std::int64_t padded() const { return blocks_ * block_; }
  /// Parts that the input products contribute to.
  std::vector<GateRange> input_gates() const {
    if (layer_.mode == Mode::gru) return {{0, 2 * size_, size_}, {2 * size_, size_, 0}};
    return {{0, gates_, 0}};
  }
  /// Gradients of the gates that the recurrent products contribute to.
  const float* recurrent(const float* gates) const { return gates + (gate_row_ - gates_); }
  void load_padded(const float* from, float* to) const;
  void store_padded(const float* from, const View& to) const;

  Layer layer_;
  std::int64_t size_, gates_, gate_row_, saved_row_, rows_, inputs_;
  std::vector<Step> steps_;
  std::int64_t batch_;
  kernel::DenseInput<float> x_, weight_ih_, weight_hh_, workspace_;
  OptionalInput hx_, cx_, grad_output_, grad_hy_, grad_cy_;
  std::span<const View> out_;
  bool packs_;
  std::int64_t block_, blocks_;
};

/// Copies (B, H), or zeros if `from` is null, to rows of padded() elements.
void Backward::load_padded(const float* from, float* to) const {
  std::fill_n(to, batch_ * padded(), 0.0f);
  for (std::int64_t r = 0; from && r < batch_; ++r)
    std::copy_n(from + r * size_, size_, to + r * padded());
}
void Backward::store_padded(const float* from, const View& to) const {
  for (std::int64_t r = 0; r < batch_; ++r)
    std::copy_n(from + r * padded(), size_, floats(to) + r * size_);
}

BackwardStep Backward::make_step(std::size_t s, float* gates, float* dh, float* dc) const {
  const Step& step = steps_[s];
  const bool is_first = s == 0, is_last = s + 1 == steps_.size();
  return {.rows = step.rows,
          .workspace = workspace_.data() + step.offset * saved_row_,
          .previous = is_first ? nullptr : workspace_.data() + steps_[s - 1].offset * saved_row_,
          .previous_rows = is_first ? 0 : steps_[s - 1].rows,
          .initial = layer_.mode == Mode::lstm ? cx_.data() : hx_.data(),
          .grad_output = grad_output_.data() ? grad_output_.data() + step.offset * size_ : nullptr,
          .gates = gates + step.offset * gate_row_,
          .next_gates = is_last ? nullptr : gates + steps_[s + 1].offset * gate_row_,
          .next_rows = is_last ? 0 : steps_[s + 1].rows,
          .dh = dh,
          .dc = dc};
}

/// As add_products, with weights that are not packed.
void Backward::multiply_gates(const Step& step, const float* gates, float* dh) const {
  cpu::gemm(cpu::Gemm<float>{.m = step.rows,
                             .n = size_,
                             .k = gates_,
                             .a = recurrent(gates) + step.offset * gate_row_,
                             .a_row = gate_row_,
                             .b = weight_hh_.data(),
                             .b_row = size_,
                             .c = dh,
                             .c_row = padded(),
                             .accumulate = layer_.mode == Mode::gru});
}

/// Computes the gradients of the gates of all steps, and those of the initial state.
void Backward::run_steps(float* gates, float* dh, float* dc) const {
  const auto last = steps_.size();
  const bool needs_dh = out_[4].shape != nullptr;
  Division division =
      divide(batch_, packs_ ? common_rows(steps_) : 0, static_cast<std::int64_t>(last),
             packs_ ? gates_ * size_ : gates_ * 16, blocks_);
  const cpu::Scratch packed(bytes(packs_ ? padded() * gates_ : 0));
  Layer layer = layer_;
  layer.packed = packed.as<float>();
  if (packs_)
    cpu::parallel_chunks(
        division.by_rows ? 1 : division.chunks, 0, blocks_,
        [&](int, std::int64_t begin, std::int64_t end) {
          pack_backward(layer, weight_hh_.data(), {begin, end}, packed.as<float>());
        });
  // The products of the first step.
  BackwardStep end = make_step(0, gates, dh, dc);
  end.next_gates = end.gates, end.next_rows = end.rows;
  if (packs_ && division.by_rows) {
    cpu::parallel_chunks(division.chunks, 0, batch_,
                         [&](int, std::int64_t first, std::int64_t count) {
                           const Range rows{first, count}, blocks{0, blocks_};
                           for (std::size_t s = last; s-- > 0;)
                             run_step(layer, make_step(s, gates, dh, dc), rows, blocks);
                           if (needs_dh) add_products(layer, end, rows, blocks);
                         });
    return;
  }
  for (std::size_t s = last; s-- > 0;) {
    BackwardStep step = make_step(s, gates, dh, dc);
    if (!packs_ && step.next_gates) {
      multiply_gates(steps_[s + 1], gates, dh);
      step.next_gates = nullptr;
    }
    const Range rows{0, std::max(step.rows, step.next_rows)};
    cpu::parallel_chunks(division.chunks, 0, blocks_,
                         [&](int, std::int64_t begin, std::int64_t count) {
                           run_step(layer, step, rows, {begin, count});
                         });
  }
  if (!needs_dh) return;
  if (!packs_) return multiply_gates(steps_[0], gates, dh);
  cpu::parallel_chunks(division.chunks, 0, blocks_,
                       [&](int, std::int64_t begin, std::int64_t count) {
                         add_products(layer, end, {0, end.rows}, {begin, count});
                       });
}

void Backward::grad_input(const float* gates) const {
  bool accumulate = false;
  for (const GateRange& g : input_gates()) {
    cpu::gemm(cpu::Gemm<float>{.m = rows_,
                               .n = inputs_,
                               .k = g.count,
                               .a = gates + g.gate,
                               .a_row = gate_row_,
                               .b = weight_ih_.data() + g.weight_row * inputs_,
                               .b_row = inputs_,
                               .c = floats(out_[0]),
                               .c_row = inputs_,
                               .accumulate = accumulate});
    accumulate = true;
  }
}

void Backward::grad_weight_ih(const float* gates) const {
  for (const GateRange& g : input_gates())
    cpu::gemm(cpu::Gemm<float>{.m = g.count,
                               .n = inputs_,
                               .k = rows_,
                               .a = gates + g.gate,
                               .a_row = 1,
                               .a_col = gate_row_,
                               .b = x_.data(),
                               .b_row = inputs_,
                               .c = floats(out_[1]) + g.weight_row * inputs_,
                               .c_row = inputs_});
}

void Backward::grad_weight_hh(const float* gates) const {
  cpu::Gemm<float> g{.m = gates_,
                     .n = size_,
                     .a_row = 1,
                     .a_col = gate_row_,
                     .c = floats(out_[2]),
                     .c_row = size_};
  const float* const states = workspace_.data() + hidden_part(layer_.mode) * size_;
  const Step &first = steps_.front(), &last = steps_.back();
  if (common_rows(steps_) == batch_) {
    // The previous states of all steps except the first are those of all steps except the last.
    if (hx_.data()) {
      g.k = batch_, g.a = recurrent(gates) + first.offset * gate_row_;
      g.b = hx_.data(), g.b_row = size_;
      cpu::gemm(g);
      g.accumulate = true;
    }
    const bool reverse = last.offset < first.offset;
    g.k = rows_ - batch_;
    g.a = recurrent(gates) + (reverse ? 0 : batch_ * gate_row_);
    g.b = states + (reverse ? batch_ * saved_row_ : 0), g.b_row = saved_row_;
    cpu::gemm(g);
    return;
  }
  const cpu::Scratch previous(bytes(rows_ * size_));
  for (std::size_t s = 0; s < steps_.size(); ++s)
    for (std::int64_t r = 0; r < steps_[s].rows; ++r) {
      float* const to = previous.as<float>() + (steps_[s].offset + r) * size_;
      if (s > 0 && r < steps_[s - 1].rows)
        std::copy_n(states + (steps_[s - 1].offset + r) * saved_row_, size_, to);
      else if (hx_.data())
        std::copy_n(hx_.data() + r * size_, size_, to);
      else
        std::fill_n(to, size_, 0.0f);
    }
  g.k = rows_, g.a = recurrent(gates), g.b = previous.as<float>(), g.b_row = size_;
  cpu::gemm(g);
}

void Backward::grad_biases(const float* gates) const {
  const cpu::Scratch scratch(bytes(gate_row_));
  float* const sums = scratch.as<float>();
  constexpr std::int64_t kMinElements = 1 << 15;  // of a thread
  cpu::parallel_for(
      0, gate_row_, std::max<std::int64_t>(64, kMinElements / std::max<std::int64_t>(1, rows_)),
      [&](std::int64_t begin, std::int64_t end) {
        cpu::column_sums(rows_, end - begin, gates + begin, gate_row_, sums + begin, false);
      });
  float* const to = floats(out_[3]);
  for (const GateRange& g : input_gates()) std::copy_n(sums + g.gate, g.count, to + g.weight_row);
  std::copy_n(recurrent(sums), gates_, to + gates_);
}

void Backward::run() {
  const cpu::Scratch gate_gradients(bytes(rows_ * gate_row_));
  const cpu::Scratch state_gradients(bytes(2 * batch_ * padded()));
  float* const gates = gate_gradients.as<float>();
  float* const dh = state_gradients.as<float>();
  float* const dc = dh + batch_ * padded();
  load_padded(grad_hy_.data(), dh);
  load_padded(grad_cy_.data(), dc);
  run_steps(gates, dh, dc);
  if (out_[0].shape) grad_input(gates);
  if (out_[1].shape) grad_weight_ih(gates);
  if (out_[2].shape) grad_weight_hh(gates);
  if (out_[3].shape) grad_biases(gates);
  if (out_[4].shape) store_padded(dh, out_[4]);
  if (out_[5].shape) store_padded(dc, out_[5]);
}

}  // namespace
}  // namespace rnn

template <> bool cpu_kernel(const RnnLayerBackward& o, const KernelArgs& k) {
  if (k.in[0].dtype != DType::f32) return false;
  rnn::Backward(o, k).run();
  return true;
}

}  // namespace taper
