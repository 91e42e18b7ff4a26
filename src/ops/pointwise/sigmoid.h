#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// 1 / (1 + e^-input).
struct Sigmoid : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("sigmoid", "SigmoidBackward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Sigmoid>& b) const;
};
/// grad_output * output * (1 - output).
struct SigmoidBackward : PointwiseOp {
  static constexpr OpInfo op =
      out_of_place(pointwise("sigmoid_backward", "SigmoidBackwardBackward0", "grad_output output",
                             in(0) | in(1), Promote::floating));
  void backward(BackwardContext<SigmoidBackward>& b) const;
};

/// Hyperbolic tangent.
struct Tanh : PointwiseOp {
  static constexpr OpInfo op =
      pointwise("tanh", "TanhBackward0", "input", out(0), Promote::floating);
  void backward(BackwardContext<Tanh>& b) const;
};
/// grad_output * (1 - output^2).
struct TanhBackward : PointwiseOp {
  static constexpr OpInfo op =
      out_of_place(pointwise("tanh_backward", "TanhBackwardBackward0", "grad_output output",
                             in(0) | in(1), Promote::floating));
  void backward(BackwardContext<TanhBackward>& b) const;
};

}  // namespace taper
