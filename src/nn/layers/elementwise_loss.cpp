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
PoissonNLLLoss::PoissonNLLLoss(const PoissonNLLLossOptions& o)
    : reduction(o.reduction), log_input(o.log_input), full(o.full), eps(o.eps) {}
GaussianNLLLoss::GaussianNLLLoss(const GaussianNLLLossOptions& o)
    : reduction(o.reduction), full(o.full), eps(o.eps) {}

Tensor BCELoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::binary_cross_entropy(input, target,
                                          {.weight = weight, .reduction = reduction});
}
Tensor BCEWithLogitsLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::binary_cross_entropy_with_logits(
      input, target, {.weight = weight, .reduction = reduction, .pos_weight = pos_weight});
}
Tensor HuberLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::huber_loss(input, target, {.reduction = reduction, .delta = delta});
}
Tensor KLDivLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::kl_div(input, target, {.reduction = reduction, .log_target = log_target});
}
Tensor PoissonNLLLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::poisson_nll_loss(
      input, target, {.log_input = log_input, .full = full, .eps = eps, .reduction = reduction});
}
Tensor GaussianNLLLoss::forward(const Tensor& input, const Tensor& target,
                                const Tensor& var) const {
  return functional::gaussian_nll_loss(input, target, var,
                                       {.full = full, .eps = eps, .reduction = reduction});
}
Tensor SoftMarginLoss::forward(const Tensor& input, const Tensor& target) const {
  return functional::soft_margin_loss(input, target, {.reduction = reduction});
}

const ModuleSchema& module_schema(const BCELoss*) {
  static constexpr ModuleSchema schema = weighted_schema<BCELoss>("BCELoss");
  return schema;
}
const ModuleSchema& module_schema(const BCEWithLogitsLoss*) {
  static constexpr ModuleSchema schema = layer_schema<BCEWithLogitsLoss>(
      "BCEWithLogitsLoss", "loss",
      "weight=None, size_average=None, reduce=None, reduction='mean', pos_weight=None",
      [](const Arguments& a) {
        return BCEWithLogitsLoss({.weight = a.tensor("weight"),
                                  .reduction = reduction_of(a),
                                  .pos_weight = a.tensor("pos_weight")});
      },
      [](const BCEWithLogitsLoss& m) -> Values {
        return {clone_weight(m.weight), {}, {}, m.reduction, clone_weight(m.pos_weight)};
      });
  return schema;
}
const ModuleSchema& module_schema(const HuberLoss*) {
  static constexpr ModuleSchema schema = layer_schema<HuberLoss>(
      "HuberLoss", "loss", "reduction='mean', delta=1.0",
      [](const Arguments& a) {
        return HuberLoss({.reduction = a.string("reduction"), .delta = a.number("delta")});
      },
      [](const HuberLoss& m) -> Values {
        return {m.reduction, m.delta};
      });
  return schema;
}
const ModuleSchema& module_schema(const KLDivLoss*) {
  static constexpr ModuleSchema schema = layer_schema<KLDivLoss>(
      "KLDivLoss", "loss", "size_average=None, reduce=None, reduction='mean', log_target=False",
      [](const Arguments& a) {
        return KLDivLoss({.reduction = reduction_of(a), .log_target = a.flag("log_target")});
      },
      [](const KLDivLoss& m) -> Values {
        return {{}, {}, m.reduction, m.log_target};
      });
  return schema;
}
const ModuleSchema& module_schema(const PoissonNLLLoss*) {
  static constexpr ModuleSchema schema = layer_schema<PoissonNLLLoss>(
      "PoissonNLLLoss", "loss",
      "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
      [](const Arguments& a) {
        return PoissonNLLLoss({.log_input = a.flag("log_input"),
                               .full = a.flag("full"),
                               .eps = a.number("eps"),
                               .reduction = reduction_of(a)});
      },
      [](const PoissonNLLLoss& m) -> Values {
        return {m.log_input, m.full, {}, m.eps, {}, m.reduction};
      });
  return schema;
}
const ModuleSchema& module_schema(const GaussianNLLLoss*) {
  static constexpr ModuleSchema schema = layer_schema<GaussianNLLLoss>(
      "GaussianNLLLoss", "loss", "*, full=False, eps=1e-06, reduction='mean'",
      [](const Arguments& a) {
        return GaussianNLLLoss(
            {.full = a.flag("full"), .eps = a.number("eps"), .reduction = a.string("reduction")});
      },
      [](const GaussianNLLLoss& m) -> Values {
        return {m.full, m.eps, m.reduction};
      });
  return schema;
}
const ModuleSchema& module_schema(const SoftMarginLoss*) {
  static constexpr ModuleSchema schema = reduction_schema<SoftMarginLoss>("SoftMarginLoss");
  return schema;
}

}  // namespace taper::nn
