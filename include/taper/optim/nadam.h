// NAdam: Adam with Nesterov momentum.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of NAdam.
struct NAdamOptions {
  ScalarArg lr = 2e-3;                                   ///< learning rate
  std::pair<ScalarArg, ScalarArg> betas = {0.9, 0.999};  ///< decay rates of the two averages
  ScalarArg eps = 1e-8;                                  ///< added to the denominator
  ScalarArg weight_decay = 0;                            ///< weight decay (L2 penalty)
  ScalarArg momentum_decay = 4e-3;                       ///< decay of the momentum
  bool decoupled_weight_decay = false;                   ///< decays the weights as AdamW does
  std::optional<bool> foreach{};                         ///< stored as in PyTorch; has no effect
  bool maximize = false;                                 ///< maximizes the objective
  bool capturable = false;                               ///< stored as in PyTorch; has no effect
  bool differentiable = false;                           ///< records the steps for autograd
  TAPER_OPTIONS(lr, betas, eps, weight_decay, momentum_decay, decoupled_weight_decay, maximize,
                foreach, capturable, differentiable)
};

/// Adam with Nesterov momentum. For each parameter p with gradient g at step t:
///
///     g = ±g + weight_decay * p      (decoupled: p = p - lr * weight_decay * p instead)
///     mu(t) = beta1 * (1 - 0.96^(t * momentum_decay) / 2),  M(t) = mu(1) * ... * mu(t)
///     m = beta1 * m + (1 - beta1) * g
///     v = beta2 * v + (1 - beta2) * g^2
///     n = mu(t + 1) * m / (1 - M(t + 1)) + (1 - mu(t)) * g / (1 - M(t))
///     p = p - lr * n / (sqrt(v / (1 - beta2^t)) + eps)
///
/// The sign is negative with `maximize`. State: `step`, `mu_product` (M), `exp_avg` (m),
/// `exp_avg_sq` (v). Dozat, "Incorporating Nesterov Momentum into Adam", 2016.
/// PyTorch: torch.optim.NAdam.
///
/// Throws ValueError if `lr`, `eps`, `weight_decay` or `momentum_decay` is negative, if a beta is
/// not in [0, 1), and if `params` is empty.
class NAdam : public Optimizer {
 public:
  explicit NAdam(Params params, const NAdamOptions& options = {});
  std::string_view type_name() const override { return "NAdam"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
