// Recurrent layers over whole sequences.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/nn/layer.h"
#include "taper/nn/utils/rnn.h"

namespace TAPER_API taper {
namespace nn {

struct GRUOptions {
  IntArg num_layers = 1;       ///< each takes the output of the one before
  bool bias = true;            ///< two biases per layer and direction
  bool batch_first = false;    ///< input and output are `(B, T, *)`; the state never is
  FloatArg dropout = 0.0;      ///< of the outputs of all layers but the last, in training
  bool bidirectional = false;  ///< a second pass from the end; outputs lie side by side
  TAPER_FACTORY_OPTIONS
};
struct RNNOptions {
  IntArg num_layers = 1;
  std::string nonlinearity = "tanh";  ///< or "relu"
  bool bias = true;
  bool batch_first = false;
  FloatArg dropout = 0.0;
  bool bidirectional = false;
  TAPER_FACTORY_OPTIONS
};
struct LSTMOptions {
  IntArg num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  FloatArg dropout = 0.0;
  bool bidirectional = false;
  IntArg proj_size = 0;  ///< size of the hidden state after a projection; 0: none
  TAPER_FACTORY_OPTIONS
};

/// What RNN, LSTM and GRU have. Sizes: input I, hidden H, layers L, directions D (1 or 2), batch B,
/// steps T, and H' = proj_size or H. For each layer k and direction (suffix "_reverse" for the
/// second) there are, registered by name and in this order, weight_ih_l{k} `(g H, I)`, or
/// `(g H, D H')` above the first layer, weight_hh_l{k} `(g H, H')`, bias_ih_l{k} and bias_hh_l{k}
/// `(g H)`, weight_hr_l{k} `(H', H)` with a projection; g is 1, 4 and 3. All start uniform in
/// [-k, k), k = 1 / sqrt(H). PyTorch: torch.nn.RNNBase.
///
/// A call takes a batch `(T, B, I)` (`(B, T, I)` with batch_first), one sequence `(T, I)`, or a
/// PackedSequence, and the first state `(L D, B, H')` (zeros if it is left out; `(L D, H')` for one
/// sequence). It gives the outputs of the last layer, `(T, B, D H')`, in the form of the input, and
/// the last state. Throws ValueError for inputs of another rank or dtype, RuntimeError for sizes
/// that do not fit.
class RNNBase : public Module {
 public:
  std::string mode;  ///< "RNN_TANH", "RNN_RELU", "LSTM" or "GRU"
  std::int64_t input_size, hidden_size, num_layers;
  bool bias, batch_first;
  double dropout;
  bool bidirectional;
  std::int64_t proj_size;

  /// Draws the initial values again.
  void reset_parameters();
  /// The weights of each layer and direction, in the order of their names.
  std::vector<std::vector<Tensor>> all_weights() const;
  /// Does nothing: weights are read where they lie.
  void flatten_parameters() {}
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError for sizes that are not positive, a dropout outside of [0, 1], and a
  /// projection that does not make smaller.
  RNNBase(std::string mode, std::int64_t input_size, std::int64_t hidden_size,
          const LSTMOptions& options);
  explicit RNNBase(RNNBase&) = default;
  RNNBase(RNNBase&&) noexcept = default;
  RNNBase& operator=(RNNBase&&) = default;

  /// Registers and draws the parameters: the last act of a constructor.
  void make_parameters(const LSTMOptions& options);

  struct Output {
    Tensor data, h, c;  ///< c of LSTMs only
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

  std::vector<std::string> names_;  // of the weights, in order
};

/// h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it, step by step. PyTorch: torch.nn.RNN.
///
///   nn::RNN rnn(10, 20, {.num_layers = 2, .nonlinearity = "relu"});
///   auto [output, h] = rnn(input);
class RNN : public RNNBase {
 public:
  /// Throws also ValueError for another nonlinearity.
  RNN(IntArg input_size, IntArg hidden_size, const RNNOptions& options = {});
  std::string nonlinearity;
  TAPER_LAYER(RNN)
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {}) const;
  std::pair<utils::rnn::PackedSequence, Tensor> forward(const utils::rnn::PackedSequence& input,
                                                        const Tensor& hx = {}) const;
};

/// Gates i, f, o = sigmoid and g = tanh of W_ih x + b_ih + W_hh h + b_hh (in the order i, f, g, o);
/// c' = f c + i g, h' = o tanh(c'), or W_hr times that. The state is the pair of h `(L D, B, H')`
/// and c `(L D, B, H)`. PyTorch: torch.nn.LSTM.
///
///   nn::LSTM lstm(10, 20, {.bidirectional = true});
///   auto [output, state] = lstm(input);
///   std::tie(output, state) = lstm(input, state);
class LSTM : public RNNBase {
 public:
  using State = std::pair<Tensor, Tensor>;
  LSTM(IntArg input_size, IntArg hidden_size, const LSTMOptions& options = {});
  TAPER_LAYER(LSTM)
  std::pair<Tensor, State> forward(const Tensor& input, const std::optional<State>& hx = {}) const;
  std::pair<utils::rnn::PackedSequence, State> forward(const utils::rnn::PackedSequence& input,
                                                       const std::optional<State>& hx = {}) const;
};

/// Gates r, z = sigmoid of W_ih x + b_ih + W_hh h + b_hh, n = tanh(W_in x + b_in + r (W_hn h +
/// b_hn)) (in the order r, z, n); h' = (1 - z) n + z h. PyTorch: torch.nn.GRU.
///
///   nn::GRU gru(10, 20);
///   auto [output, h] = gru(input);
class GRU : public RNNBase {
 public:
  GRU(IntArg input_size, IntArg hidden_size, const GRUOptions& options = {});
  TAPER_LAYER(GRU)
  std::pair<Tensor, Tensor> forward(const Tensor& input, const Tensor& hx = {}) const;
  std::pair<utils::rnn::PackedSequence, Tensor> forward(const utils::rnn::PackedSequence& input,
                                                        const Tensor& hx = {}) const;
};

}  // namespace nn
}  // namespace taper
