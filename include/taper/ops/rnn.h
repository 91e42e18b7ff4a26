// One layer of a recurrent network over all steps of its input.
#pragma once
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/shape.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Weights of one direction of a recurrent layer with input size I, hidden size H and g gates (RNN
/// 1, LSTM 4, GRU 3). The rows of the gates are in PyTorch's order (see nn::LSTM and nn::GRU).
/// Biases and the projection are optional.
struct RNNLayerWeights {
  Tensor weight_ih;             ///< `(g H, I)`
  Tensor weight_hh;             ///< `(g H, H)`, or `(g H, P)` with a projection to P values
  Tensor bias_ih{}, bias_hh{};  ///< `(g H)`
  Tensor weight_hr{};           ///< `(P, H)`, LSTM only
};

/// Result of rnn_layer.
struct RNNLayerOutput {
  Tensor output;  ///< states h of all steps, `(N, H)`
  Tensor hy;      ///< state h of each sequence after its last step, `(B, H)`
  Tensor cy{};    ///< as hy, for the cell state c; undefined unless the mode is LSTM
};

/// Runs one direction of a recurrent layer over `input` `(N, I)`, the concatenated rows of all
/// steps. Step i has `batch_sizes[i]` rows, one for each sequence that has not ended; the sizes do
/// not increase, and their sum is N. If `reverse` is true, the steps are computed from the last to
/// the first. `mode` is "RNN_TANH", "RNN_RELU", "LSTM" or "GRU" (see nn::RNNBase). `hx` and `cx`
/// `(B, H)` with B = batch_sizes[0] are the initial states; undefined tensors are zeros.
///
/// float32 tensors on the CPU are processed by one kernel; all other layers, and those with a
/// projection, by ops for each step. Throws ValueError for an unknown mode or invalid batch sizes,
/// ShapeError if shapes do not match, DTypeError if dtypes differ. PyTorch: torch.mkldnn_rnn_layer.
RNNLayerOutput rnn_layer(const Tensor& input, const RNNLayerWeights& weights, const Tensor& hx,
                         const Tensor& cx, std::string_view mode, const Shape& batch_sizes,
                         bool reverse = false);

}  // namespace taper
