#pragma once
#include "ops/op.h"

namespace taper {

/// Cumulative sums along `dim`. With `reverse`, each sum extends from its element to the end, which
/// is the gradient of the forward direction.
struct CumSum {
  std::int64_t dim = 0;
  std::optional<DType> dtype{};
  bool reverse = false;
  TAPER_ATTRIBUTES(dim, dtype, reverse)
  static constexpr OpInfo op{.name = "cumsum",
                             .node = "CumsumBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .inplace = true,
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<CumSum>& b) const {
    b[0] = run(CumSum{dim, {}, !reverse}, b.grad());
  }
};

}  // namespace taper
