#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Sine.
struct Sin : PointwiseOp {
  static constexpr OpInfo op = pointwise("sin", "SinBackward0", "input", in(0), Promote::floating);
  void backward(BackwardContext<Sin>& b) const { b[0] = b.grad() * b.input<0>().cos(); }
};

/// Cosine.
struct Cos : PointwiseOp {
  static constexpr OpInfo op = pointwise("cos", "CosBackward0", "input", in(0), Promote::floating);
  void backward(BackwardContext<Cos>& b) const { b[0] = b.grad() * -b.input<0>().sin(); }
};

}  // namespace taper
