#pragma once
#include "ops/op.h"

namespace taper {

/// Sum over `dim`, or over all dimensions if absent, with NaN treated as 0.
struct NanSum {
  std::optional<Shape> dim{};
  bool keepdim = false;
  std::optional<DType> dtype{};
  TAPER_ATTRIBUTES(dim, keepdim, dtype)
  static constexpr OpInfo op{.name = "nansum",
                             .node = "NansumBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .saved = in(0),
                             .has_cpu_kernel = true,
                             .half_in_f32 = true};
  void infer(ShapeInference& i) const;
  void backward(BackwardContext<NanSum>& b) const;
};

}  // namespace taper
