#include "nn/layers/rnn_step.h"

#include "taper/autograd/function.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn {
namespace {

struct SplitFunction : autograd::Function<SplitFunction> {
  static std::vector<Tensor> forward(autograd::Context& ctx, const Tensor& x, const Shape& sizes,
                                     std::int64_t dim) {
    ctx.state<std::int64_t>() = dim;
    return x.split(sizes, dim);
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    return {cat(grads, ctx.state<std::int64_t>()), {}, {}};
  }
};

std::vector<Tensor> split_gates(const Tensor& preactivations, std::int64_t count) {
  const auto n = static_cast<std::size_t>(count);
  return split_tensor(preactivations, Shape::filled(n, preactivations.size(-1) / count), -1);
}

RNNState lstm_step(const Tensor& preactivations, const RNNState& state, const Tensor& projection) {
  const auto gates = split_gates(preactivations, 4);
  const Tensor c = gates[1].sigmoid() * state.c + gates[0].sigmoid() * gates[2].tanh();
  const Tensor h = gates[3].sigmoid() * c.tanh();
  return {projection.defined() ? linear(h, projection) : h, c};
}

RNNState gru_step(const Tensor& input_gates, const Tensor& state_gates, const Tensor& h) {
  const auto x = split_gates(input_gates, 3), s = split_gates(state_gates, 3);
  const Tensor reset_gate = (x[0] + s[0]).sigmoid(), update_gate = (x[1] + s[1]).sigmoid();
  const Tensor new_gate = (x[2] + reset_gate * s[2]).tanh();
  return {(h - new_gate) * update_gate + new_gate, {}};
}

}  // namespace

std::vector<Tensor> split_tensor(const Tensor& x, const Shape& sizes, std::int64_t dim) {
  if (sizes.size() == 1) return {x};
  if (!is_grad_enabled() || !x.requires_grad()) return x.split(sizes, dim);
  return SplitFunction::apply(x, sizes, dim);
}

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return bias.defined() ? linear(x, weight, bias) : linear(x, weight);
}

RNNState rnn_step(std::string_view mode, const Tensor& gates, const RNNState& state,
                  const RNNWeights& w) {
  const Tensor state_gates = affine(state.h, w.hh, w.bias_hh);
  if (mode == "GRU") return gru_step(gates, state_gates, state.h);
  const Tensor preactivations = gates + state_gates;
  if (mode == "LSTM") return lstm_step(preactivations, state, w.hr);
  return {mode == "RNN_TANH" ? preactivations.tanh() : preactivations.relu(), {}};
}

}  // namespace taper::nn
