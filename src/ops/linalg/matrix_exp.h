#pragma once
#include "ops/linalg/dense.h"

namespace taper {

struct MatrixExp {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_matrix_exp",
                             .node = "LinalgMatrixExpBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::floating,
                             .saved = in(0),
                             .has_cpu_kernel = true,
                             .dtype_error = matrix_dtype_error,
                             .public_name = "linalg.matrix_exp"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MatrixExp>& b) const;
};

}  // namespace taper
