// Steps of Rprop and ASGD, composed of tensor ops.
#include "ops/optimizer/formulas.h"
#include "taper/core/factory.h"
#include "taper/ops/indexing.h"

namespace taper {
namespace optimizer {
namespace {

Tensor rprop(const Tensor& p, const Tensor& grad, States& s, const ops::RpropStep& o) {
  const Tensor g = o.maximize ? grad.mul(-1) : grad;
  const Tensor sign = g.detach().mul(s[0].detach());
  const Tensor sign_changed = sign.lt(0);
  const Tensor factor =
      ones_like(sign).masked_fill(sign.gt(0), o.eta_plus).masked_fill(sign_changed, o.eta_minus);
  s[0] = g.masked_fill(sign_changed, 0);
  s[1] = s[1].mul(factor).clamp(o.step_size_min, o.step_size_max);
  return p.addcmul(s[0].sign(), s[1], -1);
}

Tensor asgd(const Tensor& p, const Tensor& grad, States& s, const ops::ASGDStep& o) {
  const Tensor g = apply_weight_decay(p, grad, o);
  const Tensor updated = p.mul(1 - o.lambd * o.eta).add(g, -o.eta);
  s[0] = o.mu != 1 ? s[0].add(updated.sub(s[0]).mul(o.mu)) : updated.clone();
  return updated;
}

}  // namespace
}  // namespace optimizer

namespace ops {

void rprop_step_(std::span<const StepTensors> tensors, std::span<const RpropStep> steps) {
  optimizer::run_steps<optimizer::rprop>("rprop", optimizer::kRprop, tensors, steps);
}
void asgd_step_(std::span<const StepTensors> tensors, std::span<const ASGDStep> steps) {
  optimizer::run_steps<optimizer::asgd>("asgd", optimizer::kASGD, tensors, steps);
}

}  // namespace ops
}  // namespace taper
