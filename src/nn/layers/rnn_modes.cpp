// RNN, LSTM and GRU: typed interfaces of RNNBase.
#include "core/check.h"
#include "nn/registry/layer_schema.h"
#include "taper/nn/rnn.h"

namespace taper::nn {
namespace {

using utils::rnn::PackedSequence;

/// Converts the options of an RNN or GRU to those of RNNBase.
template <class Options> LSTMOptions base_options(const Options& o) {
  return {.num_layers = o.num_layers,
          .bias = o.bias,
          .batch_first = o.batch_first,
          .dropout = o.dropout,
          .bidirectional = o.bidirectional,
          .dtype = o.dtype,
          .device = o.device};
}

std::string mode_of(const std::string& nonlinearity) {
  if (nonlinearity == "tanh") return "RNN_TANH";
  if (nonlinearity == "relu") return "RNN_RELU";
  fail<ValueError>("Unknown nonlinearity '{}'. Select from 'tanh' or 'relu'.", nonlinearity);
}

PackedSequence with_data(const PackedSequence& input, Tensor data) {
  PackedSequence output = input;
  output.data = std::move(data);
  return output;
}

/// Calls forward with type-erased arguments. A tuple as the first argument is a packed sequence.
template <class State, class M> Value forward_any(M& m, const Values& args) {
  if (args.empty() || args.size() > 2) detail::throw_argument_count(m, args.size(), 1, 2);
  const auto state = Convert<State>::from(args.size() > 1 ? args[1] : Value());
  if (args[0].is_tuple())
    return detail::to_value(m.forward(Convert<PackedSequence>::from(args[0]), state));
  return detail::to_value(m.forward(args[0].as_tensor(), state));
}

/// Returns the state; undefined tensors if it is absent.
LSTM::State checked_pair(const std::optional<LSTM::State>& given) {
  const LSTM::State state = given.value_or(LSTM::State());
  if (state.first.defined() != state.second.defined())
    fail<ValueError>("LSTM: expected a state of two tensors, got an undefined tensor");
  return state;
}

}  // namespace

TAPER_DETAIL_LAYER_CLASS(RNN) {}
TAPER_DETAIL_LAYER_CLASS(LSTM) {}
TAPER_DETAIL_LAYER_CLASS(GRU) {}

RNN::RNN(IntArg input, IntArg hidden, const RNNOptions& o)
    : Layer(mode_of(o.nonlinearity), input, hidden, base_options(o)), nonlinearity(o.nonlinearity) {
  make_parameters(base_options(o));
}
LSTM::LSTM(IntArg input, IntArg hidden, const LSTMOptions& o) : Layer("LSTM", input, hidden, o) {
  make_parameters(o);
}
GRU::GRU(IntArg input, IntArg hidden, const GRUOptions& o)
    : Layer("GRU", input, hidden, base_options(o)) {
  make_parameters(base_options(o));
}

std::pair<Tensor, Tensor> RNN::forward(const Tensor& input, const Tensor& hx) const {
  Output out = run(called(input), hx, {});
  return {std::move(out.data), std::move(out.h)};
}
std::pair<PackedSequence, Tensor> RNN::forward(const PackedSequence& input,
                                               const Tensor& hx) const {
  Output out = run(called(input), hx, {});
  return {with_data(input, std::move(out.data)), std::move(out.h)};
}

std::pair<Tensor, LSTM::State> LSTM::forward(const Tensor& input,
                                             const std::optional<State>& hx) const {
  const auto [h, c] = checked_pair(hx);
  Output out = run(called(input), h, c);
  return {std::move(out.data), {std::move(out.h), std::move(out.c)}};
}
std::pair<PackedSequence, LSTM::State> LSTM::forward(const PackedSequence& input,
                                                     const std::optional<State>& hx) const {
  const auto [h, c] = checked_pair(hx);
  Output out = run(called(input), h, c);
  return {with_data(input, std::move(out.data)), {std::move(out.h), std::move(out.c)}};
}

std::pair<Tensor, Tensor> GRU::forward(const Tensor& input, const Tensor& hx) const {
  Output out = run(called(input), hx, {});
  return {std::move(out.data), std::move(out.h)};
}
std::pair<PackedSequence, Tensor> GRU::forward(const PackedSequence& input,
                                               const Tensor& hx) const {
  Output out = run(called(input), hx, {});
  return {with_data(input, std::move(out.data)), std::move(out.h)};
}

Tensor RNN::call_tensor(const Tensor& x) { return detail::call_with_tensor(*this, x); }
Tensor LSTM::call_tensor(const Tensor& x) { return detail::call_with_tensor(*this, x); }
Tensor GRU::call_tensor(const Tensor& x) { return detail::call_with_tensor(*this, x); }
Value RNN::forward_values(Values& args) { return forward_any<Tensor>(*this, args); }
Value LSTM::forward_values(Values& args) { return forward_any<std::optional<State>>(*this, args); }
Value GRU::forward_values(Values& args) { return forward_any<Tensor>(*this, args); }

namespace {

/// Throws ValueError for a projection. Python objects of all modes have the attribute proj_size,
/// but only an LSTM supports it.
constexpr auto kRejectProjection = [](auto&, const Arguments& a) {
  if (!a["proj_size"].is_none() && a.integer("proj_size") != 0)
    fail<ValueError>("proj_size argument is only supported for LSTM, not RNN or GRU");
};

}  // namespace

TAPER_SCHEMA_AS(RNN, RNNOptions, "rnn",
                "num_layers, nonlinearity, bias, batch_first, dropout, bidirectional, device, "
                "dtype, *, proj_size",
                kRejectProjection, input_size, hidden_size)

TAPER_OPTIONS_SCHEMA(LSTM, "rnn", input_size, hidden_size)

TAPER_SCHEMA_AS(
    GRU, GRUOptions, "rnn",
    "num_layers, bias, batch_first, dropout, bidirectional, device, dtype, *, proj_size",
    kRejectProjection, input_size, hidden_size)

}  // namespace taper::nn
