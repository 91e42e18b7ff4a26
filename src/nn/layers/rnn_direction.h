// run_rnn_direction: a recurrent layer over a whole sequence.
#pragma once
#include "nn/layers/rnn_step.h"

namespace taper::nn {

/// Runs one direction over `data (N, I)`, the concatenated rows of all steps, from the last step to
/// the first if `reverse` is true. Step i has `sizes[i]` rows; sizes do not increase. Returns the
/// outputs `(N, H)` and replaces `state (B, H)`, B = sizes[0], with the state after the last step
/// of each row.
Tensor run_rnn_direction(std::string_view mode, const Tensor& data, const Shape& sizes,
                         bool reverse, const RNNWeights& weights, RNNState& state);

}  // namespace taper::nn
