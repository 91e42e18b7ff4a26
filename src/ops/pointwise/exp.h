#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// e^input.
struct Exp : PointwiseOp {
  static constexpr OpInfo op = pointwise("exp", "ExpBackward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Exp>& b) const { b[0] = b.grad() * b.output<0>(); }
};

/// e^input - 1, exact near 0.
struct Expm1 : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("expm1", "Expm1Backward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Expm1>& b) const { b[0] = b.grad() * (b.output<0>() + 1); }
};

/// Natural logarithm.
struct Log : PointwiseOp {
  static constexpr OpInfo op = pointwise("log", "LogBackward0", "input", in(0), Promote::floating);
  void backward(BackwardContext<Log>& b) const { b[0] = b.grad() / b.input<0>(); }
};

/// log(1 + input), exact near 0.
struct Log1p : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("log1p", "Log1PBackward0", "input", in(0), Promote::floating);
  void backward(BackwardContext<Log1p>& b) const { b[0] = b.grad() / (b.input<0>() + 1); }
};

}  // namespace taper
