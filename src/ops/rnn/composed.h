// Recurrent layers as compositions of ops: for dtypes and devices without a kernel, projections,
// and gradients that are differentiated again.
#pragma once
#include <string_view>
#include <vector>

#include "taper/core/tensor.h"
#include "taper/ops/rnn.h"

namespace taper::rnn {

/// Splits `x` along `dim` into parts of the given sizes. Their gradients are concatenated once;
/// separate slices would each propagate a gradient as large as `x`.
std::vector<Tensor> split_tensor(const Tensor& x, const Shape& sizes, std::int64_t dim);

/// Computes rnn_layer. Absent initial states are zero. If `workspace` is not null, it receives the
/// workspace of the op rnn_layer, for which a projection must be absent.
RNNLayerOutput compose_layer(const Tensor& input, const RNNLayerWeights& weights, const Tensor& hx,
                             const Tensor& cx, std::string_view mode, const Shape& batch_sizes,
                             bool reverse, Tensor* workspace = nullptr);

}  // namespace taper::rnn
