#pragma once
#include <numbers>

#include "ops/pointwise/pointwise.h"

namespace taper {

/// The error function.
struct Erf : PointwiseOp {
  static constexpr OpInfo op = pointwise("erf", "ErfBackward0", "input", in(0), Promote::floating);
  void backward(BackwardContext<Erf>& b) const {
    b[0] = b.grad() * ((-b.input<0>().square()).exp() * (2 * std::numbers::inv_sqrtpi));
  }
};

}  // namespace taper
