#pragma once
#include "ops/linalg/dense.h"

namespace taper {

/// Solves A X = B for matrices (..., N, N) and (..., N, K) with the same leading dimensions. `info`
/// is the position of the first zero pivot, or 0.
struct Solve {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_solve",
                             .node = "LinalgSolveExBackward0",
                             .inputs = "A B",
                             .outputs = "result info",
                             .dtypes = DTypeSet::full_precision,
                             .saved = in(0) | out(0),
                             .autocast = AutocastPolicy::f32,
                             .has_cpu_kernel = true,
                             .dtype_error = matrix_dtype_error};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<Solve>& b) const;
};

}  // namespace taper
