// Distances of all pairs of rows: of two inputs for cdist, of one input for pdist.
#pragma once
#include "ops/distance/row_distances.h"
#include "ops/op.h"

namespace taper {

/// Sizes of the rows of one or two inputs.
struct RowPairs {
  std::int64_t batches = 1, rows1 = 0, rows2 = 0, columns = 0;
  bool is_within = false;  ///< pairs (i, j) with i < j of one input
  RowPairs(const Shape& x1, const Shape* x2);
  /// Position of pair (i, i + 1), the first one of row i < rows1 - 1 of one input.
  std::int64_t first_pair(std::int64_t i) const { return i * rows1 - i * (i + 1) / 2; }
};

/// Computes the distance ||x1[..., i, :] - x2[..., j, :]||_p of each pair of rows (..., P, R), or,
/// without x2, of the pairs i < j of rows of the matrix x1. p is 1, 2 or infinity.
struct PairwiseDistances {
  double p = 2;
  TAPER_ATTRIBUTES(p)
  static constexpr OpInfo op{.name = "pairwise_distances",
                             .node = "CdistBackward0",
                             .inputs = "x1 x2?",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | in(1) | out(0),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .public_name = "cdist"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<PairwiseDistances>& b) const;
};

/// Computes the gradient of PairwiseDistances with respect to x1. Not differentiable.
struct PairwiseDistancesBackward {
  double p = 2;
  TAPER_ATTRIBUTES(p)
  static constexpr OpInfo op{.name = "pairwise_distances_backward",
                             .node = "",
                             .inputs = "grad x1 x2? distances",
                             .dtypes = DTypeSet::floating,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
};

/// Computes the distances of the pairs i < j of rows of a matrix by differentiable ops.
Tensor composed_pdist(const Tensor& input, double p);
/// Computes the distances of all rows of x1 to all rows of x2, of any order.
Tensor pairwise_distances(const Tensor& x1, const Tensor& x2, double p);
/// Returns true if PairwiseDistances supports the order.
bool has_pairwise_kernel(double p);

}  // namespace taper
