#pragma once
#include "ops/op.h"

namespace taper {

struct MatrixExp {
  TAPER_ATTRIBUTES()
  static constexpr OpInfo op{.name = "linalg_matrix_exp",
                             .node = "LinalgMatrixExpBackward0",
                             .inputs = "input",
                             .saved = in(0),
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<MatrixExp>& b) const;
};

}  // namespace taper
