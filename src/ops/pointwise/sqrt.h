#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Square root.
struct Sqrt : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("sqrt", "SqrtBackward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Sqrt>& b) const { b[0] = b.grad() / (b.output<0>() * 2); }
};

/// 1 / sqrt(input).
struct Rsqrt : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("rsqrt", "RsqrtBackward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Rsqrt>& b) const { b[0] = b.grad() * -0.5 * b.output<0>().pow(3); }
};

/// 1 / input.
struct Reciprocal : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("reciprocal", "ReciprocalBackward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Reciprocal>& b) const {
    const Tensor y = b.output<0>();
    b[0] = -b.grad() * (y * y);
  }
};

}  // namespace taper
