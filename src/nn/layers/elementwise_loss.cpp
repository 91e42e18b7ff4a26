#include "taper/nn/elementwise_loss.h"

#include "nn/layers/loss_options.h"

namespace taper::nn {

TAPER_LAYER_MEMBERS(BCELoss, weight)
TAPER_LAYER_MEMBERS(BCEWithLogitsLoss, weight, pos_weight)
TAPER_LAYER_MEMBERS(HuberLoss)
TAPER_LAYER_MEMBERS(KLDivLoss)
TAPER_LAYER_MEMBERS(PoissonNLLLoss)
TAPER_LAYER_MEMBERS(GaussianNLLLoss)
TAPER_LAYER_MEMBERS(SoftMarginLoss)

BCELoss::BCELoss(const BCELossOptions& o) : weight(to_buffer(o.weight)), reduction(o.reduction) {}
BCEWithLogitsLoss::BCEWithLogitsLoss(const BCEWithLogitsLossOptions& o)
    : reduction(o.reduction), weight(to_buffer(o.weight)), pos_weight(to_buffer(o.pos_weight)) {}

Tensor BCELoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::binary_cross_entropy(called(input), target,
                                          {.weight = weight, .reduction = reduction});
}
Tensor BCEWithLogitsLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::binary_cross_entropy_with_logits(
      called(input), target, {.weight = weight, .reduction = reduction, .pos_weight = pos_weight});
}
Tensor HuberLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::huber_loss(called(input), target, {.reduction = reduction, .delta = delta});
}
Tensor KLDivLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::kl_div(called(input), target, *this);
}
Tensor PoissonNLLLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::poisson_nll_loss(called(input), target, *this);
}
Tensor GaussianNLLLoss::forward(const Tensor& input, const Tensor& target,
                                const Tensor& var) const {
  return functional::gaussian_nll_loss(called(input), target, var, *this);
}
Tensor SoftMarginLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::soft_margin_loss(called(input), target, *this);
}

TAPER_LOSS_SCHEMA(BCELoss, "weight, size_average, reduce, reduction")
TAPER_LOSS_SCHEMA(BCEWithLogitsLoss, "weight, size_average, reduce, reduction, pos_weight")
TAPER_OPTIONS_SCHEMA(HuberLoss, "loss")
TAPER_LOSS_SCHEMA(KLDivLoss, "size_average, reduce, reduction, log_target")
TAPER_LOSS_SCHEMA(PoissonNLLLoss, "log_input, full, size_average, eps, reduce, reduction")
TAPER_ORDERED_SCHEMA(GaussianNLLLoss, "loss", "*, full, eps, reduction")
TAPER_LOSS_SCHEMA(SoftMarginLoss, "size_average, reduce, reduction")

}  // namespace taper::nn
