// Distances and similarities of vectors, and the bilinear form. Optional arguments are given by
// position or as fields of a struct.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

// The first optional argument by position has the type of a template parameter, which braces never
// match: GCC ignores the name of a field in braces that convert to a class with constructors.

/// Options of cosine_similarity and nn::CosineSimilarity.
struct CosineSimilarityFuncOptions {
  IntArg dim = 1;       ///< dimension of the vectors
  FloatArg eps = 1e-8;  ///< minimum norm
  TAPER_OPTIONS(dim, eps)
};
/// Computes sum(x1 * x2) / (max(|x1|, eps) * max(|x2|, eps)) along `dim`, with the Euclidean norm
/// |x|. The inputs are broadcast and promoted. Throws DTypeError if both are integers, ShapeError
/// if they cannot be broadcast, IndexError if `dim` is out of range. PyTorch:
/// torch.cosine_similarity.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options = {});
template <std::convertible_to<IntArg> Dim>
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, Dim dim, FloatArg eps = 1e-8) {
  return cosine_similarity(x1, x2, CosineSimilarityFuncOptions{.dim = dim, .eps = eps});
}

/// Options of pairwise_distance and nn::PairwiseDistance.
struct PairwiseDistanceFuncOptions {
  FloatArg p = 2.0;      ///< order of the norm
  FloatArg eps = 1e-6;   ///< added to the difference
  bool keepdim = false;  ///< retains the last dimension with size 1
  TAPER_OPTIONS(p, eps, keepdim)
};
/// Computes the p-norm of x1 - x2 + eps along the last dimension, which is removed unless `keepdim`
/// is set. The inputs are broadcast. PyTorch: torch.pairwise_distance.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options = {});
template <std::convertible_to<FloatArg> P>
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, P p, FloatArg eps = 1e-6,
                         bool keepdim = false) {
  return pairwise_distance(x1, x2,
                           PairwiseDistanceFuncOptions{.p = p, .eps = eps, .keepdim = keepdim});
}

/// Options of pdist.
struct PdistFuncOptions {
  FloatArg p = 2.0;  ///< order of the norm
};
/// Computes the p-norms of the differences of all pairs of rows i < j of `input` `(N, D)`, as a
/// vector of N (N - 1) / 2 elements in the order (0, 1), (0, 2), ..., (1, 2), .... Throws
/// ShapeError unless the input has two dimensions, DTypeError for integers, ValueError if p is
/// negative. PyTorch: torch.pdist.
Tensor pdist(const Tensor& input, const PdistFuncOptions& options = {});
template <std::convertible_to<FloatArg> P> Tensor pdist(const Tensor& input, P p) {
  return pdist(input, PdistFuncOptions{.p = p});
}

/// Options of bilinear.
struct BilinearFuncOptions {
  OptionalTensor bias{};  ///< `(K)`; default: none
};
/// Computes y_k = input1^T weight_k input2 + bias_k for input1 `(*, H1)`, input2 `(*, H2)` and
/// weight `(K, H1, H2)`: `(*, K)`. Throws ShapeError if shapes do not match.
/// PyTorch: torch.bilinear.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const BilinearFuncOptions& options = {});
template <std::convertible_to<OptionalTensorRef> T>
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const T& bias) {
  return bilinear(input1, input2, weight, BilinearFuncOptions{.bias = OptionalTensorRef(bias)});
}

}  // namespace taper
