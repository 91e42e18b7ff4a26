#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// input * other.
struct Mul : PointwiseOp {
  static constexpr OpInfo op = pointwise("mul", "MulBackward0", "input other", in(0) | in(1));
  void backward(BackwardContext<Mul>& b) const;
};

}  // namespace taper
