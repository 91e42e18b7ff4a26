#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// input * min(max(input + 3, 0), 6) / 6.
struct Hardswish : PointwiseOp {
  static constexpr OpInfo op = pointwise("hardswish", "HardswishBackward0", "input", in(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<Hardswish>& b) const;
};
/// grad_output times the slope of hardswish at self.
struct HardswishBackward : PointwiseOp {
  static constexpr OpInfo op = out_of_place(pointwise(
      "hardswish_backward", "HardswishBackwardBackward0", "grad_output self", in(0) | in(1)));
  void backward(BackwardContext<HardswishBackward>& b) const;
};

}  // namespace taper
