// RNN, LSTM and GRU: typed interfaces of RNNBase.
#include "core/check.h"
#include "nn/registry/schema.h"
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
  Output out = run(input, hx, {});
  return {std::move(out.data), std::move(out.h)};
}
std::pair<PackedSequence, Tensor> RNN::forward(const PackedSequence& input,
                                               const Tensor& hx) const {
  Output out = run(input, hx, {});
  return {with_data(input, std::move(out.data)), std::move(out.h)};
}

std::pair<Tensor, LSTM::State> LSTM::forward(const Tensor& input,
                                             const std::optional<State>& hx) const {
  const auto [h, c] = checked_pair(hx);
  Output out = run(input, h, c);
  return {std::move(out.data), {std::move(out.h), std::move(out.c)}};
}
std::pair<PackedSequence, LSTM::State> LSTM::forward(const PackedSequence& input,
                                                     const std::optional<State>& hx) const {
  const auto [h, c] = checked_pair(hx);
  Output out = run(input, h, c);
  return {with_data(input, std::move(out.data)), {std::move(out.h), std::move(out.c)}};
}

std::pair<Tensor, Tensor> GRU::forward(const Tensor& input, const Tensor& hx) const {
  Output out = run(input, hx, {});
  return {std::move(out.data), std::move(out.h)};
}
std::pair<PackedSequence, Tensor> GRU::forward(const PackedSequence& input,
                                               const Tensor& hx) const {
  Output out = run(input, hx, {});
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
void reject_projection(const Arguments& a) {
  if (a["proj_size"].is_none() || a.integer("proj_size") == 0) return;
  fail<ValueError>("proj_size argument is only supported for LSTM, not RNN or GRU");
}

/// Reads the options that all three classes share.
template <class Options> Options read_common_options(const Arguments& a) {
  Options o;
  o.num_layers = a.integer("num_layers");
  o.bias = a.flag("bias");
  o.batch_first = a.flag("batch_first");
  o.dropout = a.number("dropout");
  o.bidirectional = a.flag("bidirectional");
  o.dtype = a.dtype();
  o.device = a.device();
  return o;
}

Values device_and_dtype(const RNNBase& m) {
  const Tensor first = m.all_weights()[0][0];
  return {first.device(), first.dtype()};
}

}  // namespace

const ModuleSchema& module_schema(const RNN*) {
  static constexpr ModuleSchema schema = layer_schema<RNN>(
      "RNN", "rnn",
      "input_size, hidden_size, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, "
      "dropout=0.0, bidirectional=False, device=None, dtype=None, *, proj_size=None",
      [](const Arguments& a) {
        reject_projection(a);
        auto options = read_common_options<RNNOptions>(a);
        options.nonlinearity = a.string("nonlinearity");
        return RNN(a.integer("input_size"), a.integer("hidden_size"), options);
      },
      [](const RNN& m) -> Values {
        const Values device_dtype = device_and_dtype(m);
        return {m.input_size,  m.hidden_size, m.num_layers,    m.nonlinearity,  m.bias,
                m.batch_first, m.dropout,     m.bidirectional, device_dtype[0], device_dtype[1]};
      });
  return schema;
}

const ModuleSchema& module_schema(const LSTM*) {
  static constexpr ModuleSchema schema = layer_schema<LSTM>(
      "LSTM", "rnn",
      "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, "
      "bidirectional=False, proj_size=0, device=None, dtype=None",
      [](const Arguments& a) {
        auto options = read_common_options<LSTMOptions>(a);
        options.proj_size = a.integer("proj_size");
        return LSTM(a.integer("input_size"), a.integer("hidden_size"), options);
      },
      [](const LSTM& m) -> Values {
        const Values device_dtype = device_and_dtype(m);
        return {m.input_size, m.hidden_size,   m.num_layers, m.bias,          m.batch_first,
                m.dropout,    m.bidirectional, m.proj_size,  device_dtype[0], device_dtype[1]};
      });
  return schema;
}

const ModuleSchema& module_schema(const GRU*) {
  static constexpr ModuleSchema schema = layer_schema<GRU>(
      "GRU", "rnn",
      "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, "
      "bidirectional=False, device=None, dtype=None, *, proj_size=None",
      [](const Arguments& a) {
        reject_projection(a);
        return GRU(a.integer("input_size"), a.integer("hidden_size"),
                   read_common_options<GRUOptions>(a));
      },
      [](const GRU& m) -> Values {
        const Values device_dtype = device_and_dtype(m);
        return {m.input_size, m.hidden_size,   m.num_layers,    m.bias,         m.batch_first,
                m.dropout,    m.bidirectional, device_dtype[0], device_dtype[1]};
      });
  return schema;
}

}  // namespace taper::nn
