// Steps of RMSprop, Adagrad and Adadelta, composed of tensor ops.
#include "ops/optimizer/formulas.h"

namespace taper {
namespace optimizer {
namespace {

Tensor rmsprop(const Tensor& p, const Tensor& grad, States& s, const ops::RMSpropStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o);
  s[0] = average_of_squares(s[0], g, o.alpha);
  Tensor variance = s[0];
  if (o.centered) {
    s[2] = s[2].lerp(g, 1 - o.alpha);
    variance = variance.addcmul(s[2], s[2], -1);
  }
  const Tensor denominator = variance.sqrt().add(o.eps);
  if (o.momentum == 0) return p.addcdiv(g, denominator, -o.lr);
  s[1] = s[1].mul(o.momentum).addcdiv(g, denominator);
  return p.add(s[1], -o.lr);
}

Tensor adagrad(const Tensor& p, const Tensor& grad, States& s, const ops::AdagradStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o);
  s[0] = s[0].addcmul(g, g);
  return p.addcdiv(g, s[0].sqrt().add(o.eps), -o.lr);
}

Tensor adadelta(const Tensor& p, const Tensor& grad, States& s, const ops::AdadeltaStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o);
  s[0] = average_of_squares(s[0], g, o.rho);
  const Tensor delta = s[1].add(o.eps).sqrt().div(s[0].add(o.eps).sqrt()).mul(g);
  s[1] = average_of_squares(s[1], delta, o.rho);
  return p.add(delta, -o.lr);
}

}  // namespace
}  // namespace optimizer

namespace ops {

void rmsprop_step_(std::span<const StepTensors> tensors, std::span<const RMSpropStep> steps) {
  optimizer::run_steps<optimizer::rmsprop>("rmsprop", optimizer::kRMSprop, tensors, steps);
}
void adagrad_step_(std::span<const StepTensors> tensors, std::span<const AdagradStep> steps) {
  optimizer::run_steps<optimizer::adagrad>("adagrad", optimizer::kAdagrad, tensors, steps);
}
void adadelta_step_(std::span<const StepTensors> tensors, std::span<const AdadeltaStep> steps) {
  optimizer::run_steps<optimizer::adadelta>("adadelta", optimizer::kAdadelta, tensors, steps);
}

}  // namespace ops
}  // namespace taper
