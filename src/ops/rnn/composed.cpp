#include "ops/rnn/composed.h"

#include <algorithm>

#include "ops/linalg/functions.h"
#include "taper/autograd/function.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"

namespace taper::rnn {
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

/// State of the rows of a step. c is undefined unless the mode is LSTM. `saved` contains the parts
/// of the workspace, if they are requested.
struct State {
  Tensor h, c;
  std::vector<Tensor> saved{};
};

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return bias.defined() ? linear(x, weight, bias) : linear(x, weight);
}

std::vector<Tensor> split_gates(const Tensor& preactivations, std::int64_t count) {
  const auto n = static_cast<std::size_t>(count);
  return split_tensor(preactivations, Shape::filled(n, preactivations.size(-1) / count), -1);
}

State lstm_step(const Tensor& preactivations, const State& state, const Tensor& projection) {
  const auto gates = split_gates(preactivations, 4);
  const Tensor i = gates[0].sigmoid(), f = gates[1].sigmoid(), g = gates[2].tanh();
  const Tensor o = gates[3].sigmoid(), c = f * state.c + i * g;
  const Tensor h = o * c.tanh();
  return {projection.defined() ? linear(h, projection) : h, c, {i, f, g, o, c, h}};
}

State gru_step(const Tensor& input_gates, const Tensor& state_gates, const Tensor& h) {
  const auto x = split_gates(input_gates, 3), s = split_gates(state_gates, 3);
  const Tensor reset_gate = (x[0] + s[0]).sigmoid(), update_gate = (x[1] + s[1]).sigmoid();
  const Tensor new_gate = (x[2] + reset_gate * s[2]).tanh();
  const Tensor next = (h - new_gate) * update_gate + new_gate;
  return {next, {}, {reset_gate, update_gate, new_gate, s[2], next}};
}

/// Computes one time step and returns the next state. `input_gates` is the projection of the input,
/// x W_ih^T + b_ih.
State run_step(std::string_view mode, const Tensor& input_gates, const State& state,
               const RNNLayerWeights& w) {
  const Tensor state_gates = affine(state.h, w.weight_hh, w.bias_hh);
  if (mode == "GRU") return gru_step(input_gates, state_gates, state.h);
  const Tensor preactivations = input_gates + state_gates;
  if (mode == "LSTM") return lstm_step(preactivations, state, w.weight_hr);
  const Tensor h = mode == "RNN_TANH" ? preactivations.tanh() : preactivations.relu();
  return {h, {}, {h}};
}

/// Returns rows [from, to) of the state.
State narrow_state(const State& s, std::int64_t from, std::int64_t to) {
  const auto part = [&](const Tensor& t) { return t.defined() ? t.narrow(0, from, to - from) : t; };
  return {part(s.h), part(s.c)};
}

State cat_states(const std::vector<State>& parts) {
  if (parts.size() == 1) return {parts[0].h, parts[0].c};
  std::vector<Tensor> h, c;
  for (const State& p : parts) {
    h.push_back(p.h);
    if (p.c.defined()) c.push_back(p.c);
  }
  return {cat(h), c.empty() ? Tensor() : cat(c)};
}

Tensor cat_steps(const std::vector<Tensor>& steps) {
  return steps.size() == 1 ? steps[0] : cat(steps);
}

}  // namespace

std::vector<Tensor> split_tensor(const Tensor& x, const Shape& sizes, std::int64_t dim) {
  if (sizes.size() == 1) return {x};
  if (!is_grad_enabled() || !x.requires_grad()) return x.split(sizes, dim);
  return SplitFunction::apply(x, sizes, dim);
}

RNNLayerOutput compose_layer(const Tensor& input, const RNNLayerWeights& w, const Tensor& hx,
                             const Tensor& cx, std::string_view mode, const Shape& sizes,
                             bool reverse, Tensor* workspace) {
  const std::vector<Tensor> gates = split_tensor(affine(input, w.weight_ih, w.bias_ih), sizes, 0);
  const auto state_or_zeros = [&](const Tensor& given, std::int64_t size) {
    if (given.defined()) return given;
    return zeros({sizes.front(), size}, {.dtype = input.dtype(), .device = input.device()});
  };
  const bool is_lstm = mode == "LSTM";
  const std::int64_t hidden = w.weight_hr.defined() ? w.weight_hr.size(1) : w.weight_hh.size(1);
  const State first{state_or_zeros(hx, w.weight_hh.size(1)),
                    is_lstm ? state_or_zeros(cx, hidden) : Tensor()};
  std::vector<Tensor> outputs(gates.size()), saved(gates.size());
  std::int64_t count = reverse ? sizes.back() : sizes.front();
  State current = count == sizes.front() ? first : narrow_state(first, 0, count);
  std::vector<State> final_states;  // in ascending order of sequence length
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::size_t step = reverse ? gates.size() - 1 - i : i;
    if (sizes[step] > count)
      current = cat_states({current, narrow_state(first, count, sizes[step])});
    if (sizes[step] < count) {
      final_states.push_back(narrow_state(current, sizes[step], count));
      current = narrow_state(current, 0, sizes[step]);
    }
    count = sizes[step];
    current = run_step(mode, gates[step], current, w);
    outputs[step] = current.h;
    if (workspace) saved[step] = cat(current.saved, -1);
  }
  final_states.push_back(current);
  std::reverse(final_states.begin(), final_states.end());
  State last = cat_states(final_states);
  if (workspace) *workspace = cat_steps(saved);
  return {cat_steps(outputs), std::move(last.h), std::move(last.c)};
}

}  // namespace taper::rnn
