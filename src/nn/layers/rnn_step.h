// rnn_step: one step of a recurrent layer.
#pragma once
#include <string_view>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::nn {

/// Returns the number of rows of the weights of all gates. Throws ShapeError on overflow.
inline std::int64_t gate_rows(std::int64_t gates, std::int64_t hidden_size) {
  return Shape{gates, hidden_size}.numel();
}

/// Splits `x` along `dim` into parts of the given sizes. Their gradients are concatenated once;
/// separate slices would each propagate a gradient as large as `x`.
std::vector<Tensor> split_tensor(const Tensor& x, const Shape& sizes, std::int64_t dim);

/// Weights of one layer and direction. Absent weights are undefined.
struct RNNWeights {
  Tensor ih, hh, bias_ih, bias_hh, hr;
};
struct RNNState {
  Tensor h, c;  ///< c is undefined unless the mode is LSTM
};

/// Returns x weight^T + bias, without the bias if it is undefined.
Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// Returns the state after one step. `gates` is W_ih x + b_ih; `mode` is a mode of nn::RNNBase.
RNNState rnn_step(std::string_view mode, const Tensor& gates, const RNNState& state,
                  const RNNWeights& weights);

}  // namespace taper::nn
