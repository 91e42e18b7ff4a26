#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// The greater of both, NaN if one is; equal ones share the gradient.
struct Maximum : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("maximum", "MaximumBackward0", "input other", in(0) | in(1));
  void backward(BackwardContext<Maximum>& b) const;
};
/// The lesser of both.
struct Minimum : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("minimum", "MinimumBackward0", "input other", in(0) | in(1));
  void backward(BackwardContext<Minimum>& b) const;
};
/// As maximum, under the name it has as a bound.
struct ClampMinTensor : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("clamp_min_tensor", "ClampMinBackward1", "input min", in(0) | in(1));
  void backward(BackwardContext<ClampMinTensor>& b) const;
};
struct ClampMaxTensor : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("clamp_max_tensor", "ClampMaxBackward1", "input max", in(0) | in(1));
  void backward(BackwardContext<ClampMaxTensor>& b) const;
};

}  // namespace taper
