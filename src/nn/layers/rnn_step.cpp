#include "nn/layers/rnn_step.h"

#include "taper/autograd/function.h"
#include "taper/autograd/grad_mode.h"

namespace taper::nn {
namespace {

struct Split : autograd::Function<Split> {
  static std::vector<Tensor> forward(autograd::Context& ctx, const Tensor& x, const Shape& sizes,
                                     std::int64_t dim) {
    ctx.state<std::int64_t>() = dim;
    return x.split(sizes, dim);
  }
  static std::vector<Tensor> backward(autograd::Context& ctx, const std::vector<Tensor>& grads) {
    return {cat(grads, ctx.state<std::int64_t>()), {}, {}};
  }
};

std::vector<Tensor> gates_of(const Tensor& joined, std::int64_t count) {
  const auto n = static_cast<std::size_t>(count);
  return parted(joined, Shape::filled(n, joined.size(-1) / count), -1);
}

RNNState lstm(const Tensor& joined, const RNNState& state, const Tensor& projection) {
  const auto gates = gates_of(joined, 4);
  const Tensor c = gates[1].sigmoid() * state.c + gates[0].sigmoid() * gates[2].tanh();
  const Tensor h = gates[3].sigmoid() * c.tanh();
  return {projection.defined() ? linear(h, projection) : h, c};
}

RNNState gru(const Tensor& of_input, const Tensor& of_state, const Tensor& h) {
  const auto x = gates_of(of_input, 3), s = gates_of(of_state, 3);
  const Tensor reset = (x[0] + s[0]).sigmoid(), keep = (x[1] + s[1]).sigmoid();
  const Tensor fresh = (x[2] + reset * s[2]).tanh();
  return {(h - fresh) * keep + fresh, {}};
}

}  // namespace

std::vector<Tensor> parted(const Tensor& x, const Shape& sizes, std::int64_t dim) {
  if (sizes.size() == 1) return {x};
  if (!is_grad_enabled() || !x.requires_grad()) return x.split(sizes, dim);
  return Split::apply(x, sizes, dim);
}

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return bias.defined() ? linear(x, weight, bias) : linear(x, weight);
}

RNNState rnn_step(std::string_view mode, const Tensor& gates, const RNNState& state,
                  const RNNWeights& w) {
  const Tensor of_state = affine(state.h, w.hh, w.bias_hh);
  if (mode == "GRU") return gru(gates, of_state, state.h);
  const Tensor joined = gates + of_state;
  if (mode == "LSTM") return lstm(joined, state, w.hr);
  return {mode == "RNN_TANH" ? joined.tanh() : joined.relu(), {}};
}

}  // namespace taper::nn
