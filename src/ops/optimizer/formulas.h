// Parts of the composed optimizer steps.
#pragma once
#include "ops/optimizer/fused.h"
#include "taper/ops/pointwise.h"

namespace taper::optimizer {

/// Returns the gradient with the sign of the step and coupled weight decay.
template <class Step> Tensor apply_weight_decay(const Tensor& p, const Tensor& grad, const Step& o,
                                                bool decoupled = false) {
  const Tensor g = o.maximize ? grad.mul(-1) : grad;
  return o.weight_decay != 0 && !decoupled ? g.add(p, o.weight_decay) : g;
}
/// Returns the recorded learning rate, 0-dimensional. A clone, because schedulers assign rates.
template <class Step> Tensor clone_recorded_lr(const Step& o) {
  return o.recorded_lr->reshape({}).clone();
}
/// Returns p - lr * factor * direction with a recorded learning rate.
template <class Step>
Tensor apply_update(const Tensor& p, const Tensor& direction, const Step& o, double factor = 1) {
  return p.sub(direction.mul(clone_recorded_lr(o).mul(factor)));
}
/// Returns the parameter with decoupled weight decay.
template <class Step> Tensor apply_decoupled_weight_decay(const Tensor& p, const Step& o) {
  if (!o.decoupled || o.weight_decay == 0) return p;
  return o.recorded_lr ? apply_update(p, p, o, o.weight_decay) : p.mul(1 - o.lr * o.weight_decay);
}
/// Returns the moving average of squares: beta * average + (1 - beta) * x^2.
inline Tensor average_of_squares(const Tensor& average, const Tensor& x, double beta) {
  return average.mul(beta).addcmul(x, x, 1 - beta);
}

}  // namespace taper::optimizer
