#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// max(input, 0).
struct Relu : PointwiseOp {
  static constexpr OpInfo op = pointwise("relu", "ReluBackward0", "input", out(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<Relu>& b) const;
};

/// input where it is greater than threshold, else value.
struct Threshold {
  Scalar threshold = 0, value = 0;
  TAPER_ATTRIBUTES(threshold, value)
  static constexpr OpInfo op = pointwise("threshold", "ThresholdBackward0", "input", in(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<Threshold>& b) const;
};
/// grad_output where self is greater than threshold, else 0.
struct ThresholdBackward {
  Scalar threshold = 0;
  TAPER_ATTRIBUTES(threshold)
  static constexpr OpInfo op = out_of_place(
      pointwise("threshold_backward", "ThresholdBackwardBackward0", "grad_output self", in(1)));
  void infer(Infer& i) const { i.give_pointwise(); }
  void backward(BackwardContext<ThresholdBackward>& b) const;
};

/// input where it is positive, else negative_slope * input.
struct LeakyRelu {
  Scalar negative_slope = 0.01;
  TAPER_ATTRIBUTES(negative_slope)
  static constexpr OpInfo op = pointwise("leaky_relu", "LeakyReluBackward0", "input", in(0));
  void infer(Infer& i) const;
  void backward(BackwardContext<LeakyRelu>& b) const;
};
/// grad_output where self is positive, else negative_slope * grad_output.
struct LeakyReluBackward {
  Scalar negative_slope = 0.01;
  TAPER_ATTRIBUTES(negative_slope)
  static constexpr OpInfo op = out_of_place(
      pointwise("leaky_relu_backward", "LeakyReluBackwardBackward0", "grad_output self", in(1)));
  void infer(Infer& i) const { i.give_pointwise(); }
  void backward(BackwardContext<LeakyReluBackward>& b) const;
};

}  // namespace taper
