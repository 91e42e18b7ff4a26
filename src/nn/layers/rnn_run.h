// A recurrent layer over a whole sequence.
#pragma once
#include "nn/layers/rnn_step.h"

namespace taper::nn {

/// One pass over `data (N, I)`, the rows of all steps behind each other, `sizes` of them in each
/// step, never more than in the one before. Gives the rows of outputs `(N, H)`, and `state (B, H)`,
/// B = sizes[0], becomes that after each row's last step.
Tensor rnn_pass(std::string_view mode, const Tensor& data, const Shape& sizes, bool reverse,
                const RNNWeights& weights, RNNState& state);

}  // namespace taper::nn
