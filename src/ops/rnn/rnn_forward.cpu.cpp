#include <algorithm>

#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "ops/rnn/rnn_division.h"
#include "ops/rnn/rnn_layer.h"
#include "ops/rnn/rnn_operands.h"

namespace taper {
namespace rnn {
namespace {

/// Input products of rows from `first` on.
struct InputProducts {
  const float* data;
  std::int64_t first, row;
};

class Forward {
 public:
  Forward(const RnnLayer& o, const KernelArgs& k)
      : layer_{*mode_of(o.mode), (*k.in[2].shape)[1]},
        size_(layer_.hidden),
        gates_(gate_count(layer_.mode) * size_),
        rows_((*k.in[0].shape)[0]),
        inputs_((*k.in[0].shape)[1]),
        steps_(steps_of(o.batch_sizes, o.reverse)),
        batch_(o.batch_sizes[0]),
        x_(k.in[0]),
        weight_ih_(k.in[1]),
        weight_hh_(k.in[2]),
        bias_ih_(k, 3),
        bias_hh_(k, 4),
        hx_(k, 5),
        cx_(k, 6),
        output_(floats(k.out[0])),
        hy_(floats(k.out[1])),
        cy_(floats(k.out[2])),
        workspace_(floats(k.out[3])),
        packs_(steps_.size() >= kMinPackedSteps),
        blocks_(block_count(size_, forward_block(layer_.mode))) {}

  void run();

 private:
  std::size_t bias_bytes() const { return bytes(bias_ih_.data() || bias_hh_.data() ? gates_ : 0); }
  std::int64_t workspace_row() const { return workspace_parts(layer_.mode) * size_; }

  void add_biases(float* bias) const;
  void compute_inputs(std::int64_t first, std::int64_t rows, const float* bias, float* to,
                      std::int64_t to_row) const;
  ForwardStep make_step(std::size_t s, const InputProducts& input, float* states) const;
  void run_steps(std::size_t begin, std::size_t end, const InputProducts& input, float* states,
                 const Division& division) const;
  void store_final_state() const;

  Layer layer_;
  std::int64_t size_, gates_, rows_, inputs_;
  std::vector<Step> steps_;
  std::int64_t batch_;
  kernel::DenseInput<float> x_, weight_ih_, weight_hh_;
  OptionalInput bias_ih_, bias_hh_, hx_, cx_;
  float *output_, *hy_, *cy_, *workspace_;
  bool packs_;
  std::int64_t blocks_;
};

/// Computes the biases of the input products: the sum of both, except that b_hn of a GRU is added
/// to the recurrent products.
void Forward::add_biases(float* bias) const {
  const float *a = bias_ih_.data(), *b = bias_hh_.data();
  for (std::int64_t j = 0; j < gates_; ++j) {
    const bool both = layer_.mode != Mode::gru || j < 2 * size_;
    bias[j] = (a ? a[j] : 0.0f) + (b && both ? b[j] : 0.0f);
  }
}

void Forward::compute_inputs(std::int64_t first, std::int64_t rows, const float* bias, float* to,
                             std::int64_t to_row) const {
  cpu::gemm(cpu::Gemm<float>{.m = rows,
                             .n = gates_,
                             .k = inputs_,
                             .a = x_.data() + first * inputs_,
                             .a_row = inputs_,
                             .b = weight_ih_.data(),
                             .b_row = 1,
                             .b_col = inputs_,
                             .c = to,
                             .c_row = to_row,
                             .bias = bias});
}

ForwardStep Forward::make_step(std::size_t s, const InputProducts& input, float* states) const {
  const Step& step = steps_[s];
  const float* h = hx_.data();
  float* next_h = nullptr;
  if (states) {
    const std::int64_t each = batch_ * size_;
    if (s > 0 || h) h = states + (s % 2 == 0 ? 0 : each);
    if (s + 1 < steps_.size()) next_h = states + (s % 2 == 0 ? each : 0);
  }
  const bool has_sum_bias = layer_.mode == Mode::gru && bias_hh_.data();
  return {.input = input.data + (step.offset - input.first) * input.row,
          .input_row = input.row,
          .h = h,
          .product = nullptr,
          .s_bias = has_sum_bias ? bias_hh_.data() + 2 * size_ : nullptr,
          .next_h = next_h,
          .c = cy_,
          .output = output_ + step.offset * size_,
          .workspace = workspace_ ? workspace_ + step.offset * workspace_row() : nullptr};
}

/// Runs steps [begin, end) in the order of computation.
void Forward::run_steps(std::size_t begin, std::size_t end, const InputProducts& input,
                        float* states, const Division& division) const {
  if (packs_ && division.by_rows) {
    cpu::parallel_chunks(
        division.chunks, 0, batch_, [&](int, std::int64_t first, std::int64_t last) {
          for (std::size_t s = begin; s < end; ++s)
            run_step(layer_, make_step(s, input, states), {first, last}, {0, blocks_});
        });
    return;
  }
  const cpu::Scratch products(packs_ ? 0 : bytes(batch_ * gates_));
  for (std::size_t s = begin; s < end; ++s) {
    ForwardStep step = make_step(s, input, states);
    const std::int64_t rows = steps_[s].rows;
    if (!packs_ && step.h) {
      cpu::linear_forward<float>(rows, size_, gates_, step.h, weight_hh_.data(), nullptr,
                                 products.as<float>());
      step.product = products.as<float>();
    }
    cpu::parallel_chunks(division.chunks, 0, blocks_,
                         [&](int, std::int64_t first, std::int64_t last) {
                           run_step(layer_, step, {0, rows}, {first, last});
                         });
  }
}

/// Copies the state of each row after its last step.
void Forward::store_final_state() const {
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const std::int64_t first = s + 1 < steps_.size() ? steps_[s + 1].rows : 0;
    if (first < steps_[s].rows)
      std::copy(output_ + (steps_[s].offset + first) * size_,
                output_ + (steps_[s].offset + steps_[s].rows) * size_, hy_ + first * size_);
  }
}

void Forward::run() {
  const std::int64_t state = batch_ * size_;
  const bool has_states = steps_.size() > 1;
  const cpu::Scratch states(bytes(has_states ? 2 * state : 0));
  float* const h = has_states ? states.as<float>() : nullptr;
  // Rows that begin in a later step find their initial state in both buffers.
  for (std::int64_t i = 0; has_states && i < 2; ++i) {
    if (hx_.data())
      std::copy_n(hx_.data(), state, h + i * state);
    else
      std::fill_n(h + i * state, state, 0.0f);
  }
  if (cy_ && cx_.data())
    std::copy_n(cx_.data(), state, cy_);
  else if (cy_)
    std::fill_n(cy_, state, 0.0f);

  const std::int64_t block = forward_block(layer_.mode);
  const Division division =
      divide(batch_, packs_ ? common_rows(steps_) : 0, static_cast<std::int64_t>(steps_.size()),
             packs_ ? gates_ * size_ : gates_ * 16, blocks_);
  const cpu::Scratch packed(bytes(packs_ ? blocks_ * block * gate_count(layer_.mode) * size_ : 0));
  if (packs_) {
    layer_.packed = packed.as<float>();
    cpu::parallel_chunks(
        division.by_rows ? 1 : division.chunks, 0, blocks_,
        [&](int, std::int64_t first, std::int64_t last) {
          pack_forward(layer_, weight_hh_.data(), {first, last}, packed.as<float>());
        });
  }
  const cpu::Scratch bias(bias_bytes());
  float* const biases = bias_bytes() ? bias.as<float>() : nullptr;
  if (biases) add_biases(biases);

  if (workspace_) {
    compute_inputs(0, rows_, biases, workspace_, workspace_row());
    run_steps(0, steps_.size(), {workspace_, 0, workspace_row()}, h, division);
  } else {
    // Limits the memory for input products.
    constexpr std::int64_t kMaxProducts = 1 << 20;
    const std::int64_t max_rows =
        std::max(batch_, kMaxProducts / std::max<std::int64_t>(1, gates_));
    const cpu::Scratch products(bytes(std::min(rows_, max_rows) * gates_));
    for (std::size_t begin = 0, end = 0; begin < steps_.size(); begin = end) {
      std::int64_t count = 0;
      for (; end < steps_.size() && count + steps_[end].rows <= max_rows; ++end)
        count += steps_[end].rows;
      const std::int64_t first = std::min(steps_[begin].offset, steps_[end - 1].offset);
      compute_inputs(first, count, biases, products.as<float>(), gates_);
      run_steps(begin, end, {products.as<float>(), first, gates_}, h, division);
    }
  }
  store_final_state();
}

}  // namespace
}  // namespace rnn

template <> bool cpu_kernel(const RnnLayer& o, const KernelArgs& k) {
  if (k.in[0].dtype != DType::f32) return false;
  rnn::Forward(o, k).run();
  return true;
}

}  // namespace taper
