// Recurrent layers: RNN, LSTM, GRU.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/layer.h"
#include "taper/nn/utils/rnn.h"

namespace TAPER_API taper {
namespace nn {

/// Options of GRU.
struct GRUOptions {
  IntArg num_layers = 1;       ///< number of stacked layers
  bool bias = true;            ///< adds two biases per layer and direction
  bool batch_first = false;    ///< input and output are `(B, T, *)`; does not apply to states
  FloatArg dropout = 0.0;      ///< dropout probability of the outputs of all layers except the last
  bool bidirectional = false;  ///< adds a pass in reverse direction; outputs are concatenated
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(num_layers, bias, batch_first, dropout, bidirectional)
};
/// Options of RNN; see GRUOptions for the fields that they share.
struct RNNOptions {
  IntArg num_layers = 1;
  std::string nonlinearity = "tanh";  ///< "tanh" or "relu"
  bool bias = true;
  bool batch_first = false;
  FloatArg dropout = 0.0;
  bool bidirectional = false;
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(num_layers, nonlinearity, bias, batch_first, dropout, bidirectional)
};
/// Options of LSTM; see GRUOptions for the fields that they share.
struct LSTMOptions {
  IntArg num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  FloatArg dropout = 0.0;
  bool bidirectional = false;
  IntArg proj_size = 0;  ///< size of the projected hidden state; 0: no projection
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(num_layers, bias, batch_first, dropout, bidirectional, proj_size)
};

/// Base of RNN, LSTM and GRU. PyTorch: torch.nn.RNNBase.
///
/// Sizes: input I, hidden H, layers L, directions D (1 or 2), batch B, steps T, and H' = proj_size
/// if there is a projection, otherwise H. For each layer k and direction (the reverse direction has
/// the suffix "_reverse"), the following parameters are registered dynamically, in this order:
/// weight_ih_l{k} `(g H, I)`, or `(g H, D H')` for k > 0, weight_hh_l{k} `(g H, H')`, bias_ih_l{k}
/// and bias_hh_l{k} `(g H)`, and with a projection weight_hr_l{k} `(H', H)`. g is 1 for RNN, 4 for
/// LSTM and 3 for GRU. All are initialized from the uniform distribution on [-b, b),
/// b = 1 / sqrt(H).
///
/// The input of a call is a batch `(T, B, I)`, or `(B, T, I)` with batch_first, one sequence
/// `(T, I)`, or a PackedSequence. The initial state is `(L D, B, H')`, or `(L D, H')` for one
/// sequence; the default is zeros. A call returns the outputs of the last layer, `(T, B, D H')` in
/// the form of the input, and the final state. Throws ValueError if the rank or the dtype of the
/// input is invalid, RuntimeError if sizes do not match.
class RNNBase : public Module {
 public:
  std::string mode;  ///< "RNN_TANH", "RNN_RELU", "LSTM" or "GRU"
  std::int64_t input_size, hidden_size, num_layers;
  bool bias, batch_first;
  double dropout;
  bool bidirectional;
  std::int64_t proj_size;

  /// Re-initializes all parameters from the default generator.
  void reset_parameters();
  /// Returns the parameters of each layer and direction, in the order of registration.
  std::vector<std::vector<Tensor>> all_weights() const;
  /// Has no effect; provided for compatibility with PyTorch.
  void flatten_parameters() {}
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError if a size is not positive, if `dropout` is not in [0, 1], or if proj_size is
  /// negative or not smaller than hidden_size.
  RNNBase(std::string mode, std::int64_t input_size, std::int64_t hidden_size,
          const LSTMOptions& options);
  explicit RNNBase(RNNBase&) = default;
  RNNBase(RNNBase&&) noexcept = default;
  RNNBase& operator=(RNNBase&&) = default;

  /// Registers and initializes the parameters. Must be the last statement of a constructor.
  void make_parameters(const LSTMOptions& options);

  struct Output {
    Tensor data, h, c;  ///< c is defined for LSTMs only
  };
  Output run(const Tensor& input, Tensor h, Tensor c) const;
  Output run(const utils::rnn::PackedSequence& input, Tensor h, Tensor c) const;

 private:
  std::vector<Tensor> weights() const;
  std::int64_t state_size() const { return proj_size > 0 ? std::int64_t{proj_size} : hidden_size; }
  std::int64_t directions() const { return bidirectional ? 2 : 1; }
  void check_input(const Tensor& input, const Tensor& weight, std::int64_t rank) const;
  Tensor checked_state(const Tensor& given, const Tensor& input, std::int64_t batch,
                       std::int64_t size, const char* name) const;
  Output run_layers(Tensor data, const Shape& sizes, const Tensor& h, const Tensor& c,
                    const std::vector<Tensor>& weights) const;

  std::vector<std::string> names_;  // names of the parameters, in the order of registration
};

/// Elman network: h' = tanh(W_ih x + b_ih + W_hh h + b_hh) for each step, or ReLU instead of tanh.
/// PyTorch: torch.nn.RNN.
///
///   nn::RNN rnn(10, 20, {.num_layers = 2, .nonlinearity = "relu"});
///   auto [output, h] = rnn(input);
class RNN : public Layer<RNN, RNNBase> {
 public:
  /// Throws ValueError for an unknown nonlinearity and for the options that RNNBase rejects.
  RNN(IntArg input_size, IntArg hidden_size, const RNNOptions& options = {});
  template <detail::OptionByPosition O>
  RNN(IntArg, IntArg, const O&, ...) = delete;  // options are named: {.num_layers = 2}
  std::string nonlinearity;
  TAPER_LAYER(RNN)
  static constexpr const char* forward_signature = "input, hx=None";
  using RNNBase::reset_parameters;
  /// Returns the outputs of the last layer for all steps, and the final hidden state.
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {}) const;
  std::pair<utils::rnn::PackedSequence, Tensor> forward(const utils::rnn::PackedSequence& input,
                                                        const Tensor& hx = {}) const;
  using Layer::operator();
  /// Calls the layer with a state that may be in braces, `{}` if it is absent.
  template <class Self = const RNN> auto operator()(const Tensor& input, const Tensor& hx) const {
    return detail::call_typed(static_cast<Self&>(*this), input, hx);
  }
  template <class Self = const RNN>
  auto operator()(const utils::rnn::PackedSequence& input, const Tensor& hx) const {
    return detail::call_typed(static_cast<Self&>(*this), input, hx);
  }
};

/// Long short-term memory. For each step, with `*` denoting the element-wise product:
///
///     i = sigmoid(W_ii x + b_ii + W_hi h + b_hi)
///     f = sigmoid(W_if x + b_if + W_hf h + b_hf)
///     g = tanh(W_ig x + b_ig + W_hg h + b_hg)
///     o = sigmoid(W_io x + b_io + W_ho h + b_ho)
///     c' = f * c + i * g
///     h' = o * tanh(c'), or W_hr (o * tanh(c')) with a projection
///
/// The rows of the parameters are in the order i, f, g, o. The state is the pair of h
/// `(L D, B, H')` and c `(L D, B, H)`. PyTorch: torch.nn.LSTM.
///
///   nn::LSTM lstm(10, 20, {.bidirectional = true});
///   auto [output, state] = lstm(input);
///   std::tie(output, state) = lstm(input, state);
class LSTM : public Layer<LSTM, RNNBase> {
 public:
  using State = std::pair<Tensor, Tensor>;
  /// Throws ValueError for the options that RNNBase rejects.
  LSTM(IntArg input_size, IntArg hidden_size, const LSTMOptions& options = {});
  template <detail::OptionByPosition O>
  LSTM(IntArg, IntArg, const O&, ...) = delete;  // options are named: {.num_layers = 2}
  TAPER_LAYER(LSTM)
  static constexpr const char* forward_signature = "input, hx=None";
  using RNNBase::reset_parameters;
  /// Returns the outputs of the last layer for all steps, and the final state.
  std::pair<Tensor, State> forward(const Tensor& input, const std::optional<State>& hx = {}) const;
  std::pair<utils::rnn::PackedSequence, State> forward(const utils::rnn::PackedSequence& input,
                                                       const std::optional<State>& hx = {}) const;
  using Layer::operator();
  /// Calls the layer with a state that may be in braces, `{}` if it is absent.
  template <class Self = const LSTM> auto operator()(const Tensor& input, const State& hx) const {
    return detail::call_typed(static_cast<Self&>(*this), input, std::optional<State>(hx));
  }
  template <class Self = const LSTM>
  auto operator()(const utils::rnn::PackedSequence& input, const State& hx) const {
    return detail::call_typed(static_cast<Self&>(*this), input, std::optional<State>(hx));
  }
};

/// Gated recurrent unit. For each step, with `*` denoting the element-wise product:
///
///     r = sigmoid(W_ir x + b_ir + W_hr h + b_hr)
///     z = sigmoid(W_iz x + b_iz + W_hz h + b_hz)
///     n = tanh(W_in x + b_in + r * (W_hn h + b_hn))
///     h' = (1 - z) * n + z * h
///
/// The rows of the parameters are in the order r, z, n. PyTorch: torch.nn.GRU.
///
///   nn::GRU gru(10, 20);
///   auto [output, h] = gru(input);
class GRU : public Layer<GRU, RNNBase> {
 public:
  /// Throws ValueError for the options that RNNBase rejects.
  GRU(IntArg input_size, IntArg hidden_size, const GRUOptions& options = {});
  template <detail::OptionByPosition O>
  GRU(IntArg, IntArg, const O&, ...) = delete;  // options are named: {.num_layers = 2}
  TAPER_LAYER(GRU)
  static constexpr const char* forward_signature = "input, hx=None";
  using RNNBase::reset_parameters;
  /// Returns the outputs of the last layer for all steps, and the final hidden state.
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {}) const;
  std::pair<utils::rnn::PackedSequence, Tensor> forward(const utils::rnn::PackedSequence& input,
                                                        const Tensor& hx = {}) const;
  using Layer::operator();
  /// Calls the layer with a state that may be in braces, `{}` if it is absent.
  template <class Self = const GRU> auto operator()(const Tensor& input, const Tensor& hx) const {
    return detail::call_typed(static_cast<Self&>(*this), input, hx);
  }
  template <class Self = const GRU>
  auto operator()(const utils::rnn::PackedSequence& input, const Tensor& hx) const {
    return detail::call_typed(static_cast<Self&>(*this), input, hx);
  }
};

}  // namespace nn
}  // namespace taper
