#pragma once
#include "ops/op.h"

namespace taper {

/// Computes (sum |input|^ord)^(1/ord) over `dim`, or over all dimensions if absent. For ord = 0,
/// the result is the number of nonzero elements, for inf and -inf the maximum and minimum of
/// |input|.
struct VectorNorm {
  Scalar ord = 2;
  std::optional<Shape> dim{};
  bool keepdim = false;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(ord, dim, keepdim, dtype)
  static void dtype_error(const ShapeInference& i) {
    i.fail<NotImplementedError>("Expected a floating point tensor as input. Got {}", i.common);
  }
  static constexpr OpInfo op{.name = "linalg_vector_norm",
                             .node = "LinalgVectorNormBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0) | out(0),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true,
                             .dtype_error = dtype_error,
                             .public_name = "linalg.vector_norm"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<VectorNorm>& b) const;
};

}  // namespace taper
