#pragma once
#include "ops/op.h"
#include "taper/core/factory.h"

namespace taper {

/// Sets every element to `value`; in place only.
struct Fill {
  Scalar value{};
  TAPER_ATTRIBUTES(value)
  static constexpr OpInfo op{.name = "fill",
                             .node = "FillBackward0",
                             .inputs = "input",
                             .dtypes = DTypeSet::every,
                             .inplace = true,
                             .has_cpu_kernel = true};
  void infer(ShapeInference& i) const { i.set_output(i.shape(0), i.dtype(0)); }
  void backward(BackwardContext<Fill>& b) const {
    b[0] = zeros_like(b.grad());  // the overwritten value has zero gradient
  }
};

}  // namespace taper
