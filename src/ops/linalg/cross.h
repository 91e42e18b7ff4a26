#pragma once
#include "ops/op.h"

namespace taper {

/// Cross products of the vectors of length 3 along dimension `dim`, which is not negative. Inputs
/// have the same shape and dtype.
struct LinalgCross {
  std::int64_t dim = 0;
  TAPER_ATTRIBUTES(dim)
  static constexpr OpInfo op{.name = "linalg_cross",
                             .node = "LinalgCrossBackward0",
                             .inputs = "input other",
                             .dtypes = DTypeSet::no_bool,
                             .saved = in(0) | in(1),
                             .has_cpu_kernel = true,
                             .public_name = "linalg.cross"};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<LinalgCross>& b) const;
};

}  // namespace taper
