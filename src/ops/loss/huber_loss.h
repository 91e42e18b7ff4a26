// Elements of the losses that are quadratic near 0 and linear farther away.
#pragma once
#include "ops/pointwise/pointwise.h"

namespace taper {

/// Computes, for d = input - target, d^2 / (2 beta) where |d| < beta, and |d| - beta / 2 elsewhere.
struct SmoothL1Loss {
  double beta = 1;
  TAPER_ATTRIBUTES(beta)
  static constexpr OpInfo op =
      out_of_place(pointwise("smooth_l1_loss", "SmoothL1LossBackward0", "input target",
                             DTypeSet::floating, in(0) | in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<SmoothL1Loss>& b) const;
};

/// Computes the gradient of SmoothL1Loss with respect to its input: grad_output * d / beta, where d
/// is limited to [-beta, beta].
struct SmoothL1LossBackward {
  double beta = 1;
  TAPER_ATTRIBUTES(beta)
  static constexpr OpInfo op = out_of_place(
      pointwise("smooth_l1_loss_backward", "SmoothL1LossBackwardBackward0",
                "grad_output input target", DTypeSet::floating, in(0) | in(1) | in(2)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<SmoothL1LossBackward>& b) const;
};

/// Computes SmoothL1Loss * delta: d^2 / 2 where |d| < delta, and delta (|d| - delta / 2) elsewhere.
struct HuberLoss {
  double delta = 1;
  TAPER_ATTRIBUTES(delta)
  static constexpr OpInfo op = out_of_place(pointwise(
      "huber_loss", "HuberLossBackward0", "input target", DTypeSet::floating, in(0) | in(1)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<HuberLoss>& b) const;
};

/// Computes the gradient of HuberLoss with respect to its input: grad_output * d, where d is
/// limited to [-delta, delta].
struct HuberLossBackward {
  double delta = 1;
  TAPER_ATTRIBUTES(delta)
  static constexpr OpInfo op = out_of_place(
      pointwise("huber_loss_backward", "HuberLossBackwardBackward0", "grad_output input target",
                DTypeSet::floating, in(0) | in(1) | in(2)));
  void infer(ShapeInference& i) const { i.set_broadcast_output(); }
  void backward(BackwardContext<HuberLossBackward>& b) const;
};

}  // namespace taper
