// Adamax: Adam with the infinity norm.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Adamax.
struct AdamaxOptions {
  ScalarArg lr = 2e-3;                                   ///< learning rate
  std::pair<ScalarArg, ScalarArg> betas = {0.9, 0.999};  ///< decay rates of the two averages
  ScalarArg eps = 1e-8;                                  ///< added to the denominator
  ScalarArg weight_decay = 0;                            ///< weight decay (L2 penalty)
  std::optional<bool> foreach{};                         ///< stored as in PyTorch; has no effect
  bool maximize = false;                                 ///< maximizes the objective
  bool differentiable = false;                           ///< records the steps for autograd
  bool capturable = false;                               ///< stored as in PyTorch; has no effect
  TAPER_OPTIONS(lr, betas, eps, weight_decay, foreach, maximize, differentiable, capturable)
};

/// Adamax, a variant of Adam with the infinity norm. For each parameter p with gradient g at step
/// t:
///
///     g = ±g + weight_decay * p
///     m = beta1 * m + (1 - beta1) * g
///     u = max(beta2 * u, |g| + eps)
///     p = p - lr / (1 - beta1^t) * m / u
///
/// The sign is negative with `maximize`. State: `step`, `exp_avg` (m), `exp_inf` (u). Kingma and
/// Ba, "Adam: A Method for Stochastic Optimization", 2014. PyTorch: torch.optim.Adamax.
///
/// Throws ValueError if `lr`, `eps` or `weight_decay` is negative, if a beta is not in [0, 1), and
/// if `params` is empty.
class Adamax : public Optimizer {
 public:
  explicit Adamax(Params params, const AdamaxOptions& options = {});
  std::string_view type_name() const override { return "Adamax"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
