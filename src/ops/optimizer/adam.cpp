// Steps of Adam and its variants, composed of tensor ops.
#include "ops/optimizer/formulas.h"

namespace taper {
namespace optimizer {
namespace {

Tensor adam(const Tensor& p, const Tensor& grad, States& s, const ops::AdamStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o, o.decoupled);
  s[0] = s[0].lerp(g, 1 - o.beta1);
  s[1] = average_of_squares(s[1], g, o.beta2);
  if (o.amsgrad) s[2] = s[2].maximum(s[1]);
  const Tensor& variance = s[o.amsgrad ? 2 : 1];
  const Tensor denominator = variance.sqrt().div(o.bias_correction2_sqrt).add(o.eps);
  if (o.recorded_lr)
    return apply_update(apply_decoupled_weight_decay(p, o), s[0].div(denominator), o,
                        1 / o.bias_correction1);
  return apply_decoupled_weight_decay(p, o).addcdiv(s[0], denominator,
                                                    -(o.lr / o.bias_correction1));
}

Tensor adamax(const Tensor& p, const Tensor& grad, States& s, const ops::AdamaxStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o);
  s[0] = s[0].lerp(g, 1 - o.beta1);
  s[1] = s[1].mul(o.beta2).maximum(g.abs().add(o.eps));
  return p.addcdiv(s[0], s[1], -(o.lr / o.bias_correction));
}

Tensor nadam(const Tensor& p, const Tensor& grad, States& s, const ops::NAdamStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o, o.decoupled);
  s[0] = s[0].lerp(g, 1 - o.beta1);
  s[1] = average_of_squares(s[1], g, o.beta2);
  const Tensor denominator = s[1].div(o.bias_correction2).sqrt().add(o.eps);
  if (o.recorded_lr) {
    const Tensor direction = g.mul(o.grad_factor).add(s[0], o.average_factor).div(denominator);
    return apply_update(apply_decoupled_weight_decay(p, o), direction, o);
  }
  return apply_decoupled_weight_decay(p, o)
      .addcdiv(g, denominator, -o.grad_factor)
      .addcdiv(s[0], denominator, -o.average_factor);
}

Tensor radam(const Tensor& p, const Tensor& grad, States& s, const ops::RAdamStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o, o.decoupled);
  s[0] = s[0].lerp(g, 1 - o.beta1);
  s[1] = average_of_squares(s[1], g, o.beta2);
  Tensor update = s[0].div(o.bias_correction1);
  if (!o.recorded_lr) update = update.mul(o.lr);
  if (o.rectification > 0)
    update = update.mul(s[1].sqrt().add(o.eps).reciprocal().mul(o.bias_correction2_sqrt))
                 .mul(o.rectification);
  if (o.recorded_lr) return apply_update(apply_decoupled_weight_decay(p, o), update, o);
  return apply_decoupled_weight_decay(p, o).sub(update);
}

}  // namespace
}  // namespace optimizer

namespace ops {

void adam_step_(std::span<const StepTensors> tensors, std::span<const AdamStep> steps) {
  optimizer::run_steps<optimizer::adam>("adam", optimizer::kAdam, tensors, steps);
}
void adamax_step_(std::span<const StepTensors> tensors, std::span<const AdamaxStep> steps) {
  optimizer::run_steps<optimizer::adamax>("adamax", optimizer::kAdamax, tensors, steps);
}
void nadam_step_(std::span<const StepTensors> tensors, std::span<const NAdamStep> steps) {
  optimizer::run_steps<optimizer::nadam>("nadam", optimizer::kNAdam, tensors, steps);
}
void radam_step_(std::span<const StepTensors> tensors, std::span<const RAdamStep> steps) {
  optimizer::run_steps<optimizer::radam>("radam", optimizer::kRAdam, tensors, steps);
}

}  // namespace ops
}  // namespace taper
