// One step of a recurrent layer, and the parts of tensors it works on.
#pragma once
#include <string_view>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::nn {

/// Narrows `x` to parts that lie behind each other in `dim`. Their gradients are joined once for
/// all of them; each slice on its own would send one as large as `x`.
std::vector<Tensor> parted(const Tensor& x, const Shape& sizes, std::int64_t dim);

/// Weights of one layer and direction; undefined ones are not there.
struct RNNWeights {
  Tensor ih, hh, bias_ih, bias_hh, hr;
};
struct RNNState {
  Tensor h, c;  ///< c of LSTMs only
};

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// The state after one step: `gates` is W_ih x + b_ih, of a mode of nn::RNNBase.
RNNState rnn_step(std::string_view mode, const Tensor& gates, const RNNState& state,
                  const RNNWeights& weights);

}  // namespace taper::nn
