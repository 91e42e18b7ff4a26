// Distances and similarities of vectors, and the bilinear form.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"

namespace TAPER_API taper {
class Tensor;

/// Computes sum(x1 * x2) / (max(|x1|, eps) * max(|x2|, eps)) along `dim`, with the Euclidean norm
/// |x|. The inputs are broadcast and promoted. Throws DTypeError if both are integers, ShapeError
/// if they cannot be broadcast, IndexError if `dim` is out of range. PyTorch:
/// torch.cosine_similarity.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, IntArg dim = 1, FloatArg eps = 1e-8);
/// Computes the p-norm of x1 - x2 + eps along the last dimension, which is removed unless `keepdim`
/// is set. The inputs are broadcast. PyTorch: torch.pairwise_distance.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, FloatArg p = 2.0, FloatArg eps = 1e-6,
                         bool keepdim = false);
/// Computes the p-norms of the differences of all pairs of rows i < j of `input` `(N, D)`, as a
/// vector of N (N - 1) / 2 elements in the order (0, 1), (0, 2), ..., (1, 2), .... Throws
/// ShapeError unless the input has two dimensions, DTypeError for integers, ValueError if p is
/// negative. PyTorch: torch.pdist.
Tensor pdist(const Tensor& input, FloatArg p = 2.0);
/// Computes y_k = input1^T weight_k input2 + bias_k for input1 `(*, H1)`, input2 `(*, H2)`, weight
/// `(K, H1, H2)` and optional bias `(K)`: `(*, K)`. Throws ShapeError if shapes do not match.
/// PyTorch: torch.bilinear.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                OptionalTensorRef bias = {});

}  // namespace taper
