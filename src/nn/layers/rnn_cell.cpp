#include "taper/nn/rnn_cell.h"

#include <cmath>

#include "core/check.h"
#include "nn/registry/layer_schema.h"
#include "taper/core/factory.h"
#include "taper/nn/init.h"
#include "taper/ops/rnn.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(RNNCell, weight_ih, weight_hh, bias_ih, bias_hh)
TAPER_LAYER_MEMBERS(LSTMCell, weight_ih, weight_hh, bias_ih, bias_hh)
TAPER_LAYER_MEMBERS(GRUCell, weight_ih, weight_hh, bias_ih, bias_hh)
namespace {

Tensor new_cell_tensor(const Shape& shape, const CellOptions& o) {
  for (const std::int64_t size : shape)
    if (size < 0)
      fail<ValueError>("RNN cell: sizes must not be negative, got a weight of {}", shape);
  return empty(shape, tensor_options(o));
}

/// Returns the number of rows of the weights of all gates. Throws ShapeError on overflow.
std::int64_t rows_of(std::int64_t gates, std::int64_t hidden) {
  return Shape{gates, hidden}.numel();
}

/// Runs a layer of one step.
RNNLayerOutput step(const RNNCellBase& cell, std::string_view mode, const Tensor& input,
                    const Tensor& h, const Tensor& c) {
  const auto tensor_or_undefined = [](const std::optional<Parameter>& p) -> Tensor {
    if (!p) return {};
    return *p;
  };
  const RNNLayerWeights weights{cell.weight_ih, cell.weight_hh, tensor_or_undefined(cell.bias_ih),
                                tensor_or_undefined(cell.bias_hh)};
  return rnn_layer(input, weights, h, c, mode, {input.size(0)});
}

}  // namespace

RNNCellBase::RNNCellBase(std::int64_t input, std::int64_t hidden, std::int64_t gates,
                         const CellOptions& o)
    : input_size(input),
      hidden_size(hidden),
      bias(o.bias),
      weight_ih(new_cell_tensor({rows_of(gates, hidden), input}, o)),
      weight_hh(new_cell_tensor({rows_of(gates, hidden), hidden}, o)) {
  if (bias) {
    bias_ih.emplace(new_cell_tensor({rows_of(gates, hidden)}, o));
    bias_hh.emplace(new_cell_tensor({rows_of(gates, hidden)}, o));
  }
  // reset_parameters() accesses the parameters by name: a visitor would require the derived class,
  // which is not constructed yet.
  reset_parameters();
}

void RNNCellBase::reset_parameters() {
  const double bound = hidden_size > 0 ? 1 / std::sqrt(static_cast<double>(hidden_size)) : 0;
  init::uniform_(weight_ih, -bound, bound);
  init::uniform_(weight_hh, -bound, bound);
  if (bias_ih) init::uniform_(*bias_ih, -bound, bound);
  if (bias_hh) init::uniform_(*bias_hh, -bound, bound);
}

RNNCellBase::Step RNNCellBase::checked(const Tensor& input, const Tensor& h, const Tensor& c,
                                       bool pair) const {
  const auto is_valid_rank = [](const Tensor& t) { return t.dim() == 1 || t.dim() == 2; };
  if (!is_valid_rank(input))
    fail<ValueError>("{}: Expected input to be 1D or 2D, got {}D instead", type_name(),
                     input.dim());
  const char* const names[] = {pair ? "hx[0]" : "hidden", "hx[1]"};
  const Tensor* const states[] = {&h, &c};
  for (int i = 0; i < 2; ++i)
    if (states[i]->defined() && !is_valid_rank(*states[i]))
      fail<ValueError>("{}: Expected {} to be 1D or 2D, got {}D instead", type_name(), names[i],
                       states[i]->dim());
  Step s{input, h, c};
  const bool batched = input.dim() == 2;
  if (!batched) s.input = input.unsqueeze(0);
  if (s.input.size(1) != input_size)
    fail<RuntimeError>("input has inconsistent input_size: got {} expected {}", s.input.size(1),
                       input_size);
  Tensor* const step_states[] = {&s.h, &s.c};
  for (int i = 0; i < (pair ? 2 : 1); ++i) {
    Tensor& state = *step_states[i];
    if (!state.defined()) continue;
    if (!batched) state = state.unsqueeze(0);
    if (state.dim() != 2)
      fail<RuntimeError>("Expected 2D hidden{} (batch x hidden_size), but got {}D tensor", i,
                         state.dim());
    if (state.size(0) != s.input.size(0))
      fail<RuntimeError>("Input batch size {} doesn't match hidden{} batch size {}",
                         s.input.size(0), i, state.size(0));
    if (state.size(1) != hidden_size)
      fail<RuntimeError>("hidden{} has inconsistent hidden_size: got {}, expected {}", i,
                         state.size(1), hidden_size);
    if (state.dtype() != input.dtype())
      fail<RuntimeError>("{}: expected hidden{} with the input's dtype {}, got {}", type_name(), i,
                         input.dtype(), state.dtype());
  }
  return s;
}

std::string RNNCellBase::extra_repr() const {
  return std::to_string(input_size) + ", " + std::to_string(hidden_size) +
         (bias ? "" : ", bias=False");
}

RNNCell::RNNCell(IntArg input, IntArg hidden, const RNNCellOptions& o)
    : Layer(input, hidden, 1, {.bias = o.bias, .dtype = o.dtype, .device = o.device}),
      nonlinearity(o.nonlinearity) {}

std::string RNNCell::extra_repr() const {
  const std::string base = RNNCellBase::extra_repr();
  return nonlinearity == "tanh" ? base : base + ", nonlinearity=" + nonlinearity;
}

Tensor RNNCell::forward(const Tensor& input, const Tensor& hx) const {
  check_called();
  if (nonlinearity != "tanh" && nonlinearity != "relu")
    fail<RuntimeError>("Unknown nonlinearity: {}", nonlinearity);
  const Step s = checked(input, hx, {}, false);
  const Tensor h =
      step(*this, nonlinearity == "tanh" ? "RNN_TANH" : "RNN_RELU", s.input, s.h, {}).hy;
  return input.dim() == 1 ? h.squeeze(0) : h;
}

LSTMCell::State LSTMCell::forward(const Tensor& input, const std::optional<State>& hx) const {
  check_called();
  const auto [h, c] = hx.value_or(State());
  if (h.defined() != c.defined())
    fail<ValueError>("LSTMCell: expected a state of two tensors, got an undefined tensor");
  const Step s = checked(input, h, c, true);
  const RNNLayerOutput next = step(*this, "LSTM", s.input, s.h, s.c);
  if (input.dim() == 1) return {next.hy.squeeze(0), next.cy.squeeze(0)};
  return {next.hy, next.cy};
}

Tensor GRUCell::forward(const Tensor& input, const Tensor& hx) const {
  const Step s = checked(called(input), hx, {}, false);
  const Tensor h = step(*this, "GRU", s.input, s.h, {}).hy;
  return input.dim() == 1 ? h.squeeze(0) : h;
}

TAPER_OPTIONS_SCHEMA(RNNCell, "rnn", input_size, hidden_size)

TAPER_OPTIONS_SCHEMA(LSTMCell, "rnn", input_size, hidden_size)
TAPER_OPTIONS_SCHEMA(GRUCell, "rnn", input_size, hidden_size)

}  // namespace taper::nn
