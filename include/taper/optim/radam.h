// RAdam: Adam that rectifies the variance of the adaptive learning rate.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of RAdam.
struct RAdamOptions {
  ScalarArg lr = 1e-3;                                   ///< learning rate
  std::pair<ScalarArg, ScalarArg> betas = {0.9, 0.999};  ///< decay rates of the two averages
  ScalarArg eps = 1e-8;                                  ///< added to the denominator
  ScalarArg weight_decay = 0;                            ///< weight decay (L2 penalty)
  bool decoupled_weight_decay = false;                   ///< decays the weights as AdamW does
  std::optional<bool> foreach{};                         ///< stored as in PyTorch; has no effect
  bool maximize = false;                                 ///< maximizes the objective
  bool capturable = false;                               ///< stored as in PyTorch; has no effect
  bool differentiable = false;                           ///< records the steps for autograd
  TAPER_OPTIONS(lr, betas, eps, weight_decay, maximize, foreach, capturable, decoupled_weight_decay,
                differentiable)
};

/// Rectified Adam. For each parameter p with gradient g at step t:
///
///     g = ±g + weight_decay * p      (decoupled: p = p - lr * weight_decay * p instead)
///     m = beta1 * m + (1 - beta1) * g
///     v = beta2 * v + (1 - beta2) * g^2
///     R = 2 / (1 - beta2) - 1,  r = R - 2 * t * beta2^t / (1 - beta2^t)
///     s = sqrt((r - 4) * (r - 2) * R / ((R - 4) * (R - 2) * r)) * sqrt(1 - beta2^t) /
///         (sqrt(v) + eps)  if r > 5, otherwise 1
///     p = p - lr * m / (1 - beta1^t) * s
///
/// The sign is negative with `maximize`. State: `step`, `exp_avg` (m), `exp_avg_sq` (v). Liu et
/// al., "On the Variance of the Adaptive Learning Rate and Beyond", 2019. PyTorch:
/// torch.optim.RAdam.
///
/// Throws ValueError if `lr`, `eps` or `weight_decay` is negative, if a beta is not in [0, 1), and
/// if `params` is empty.
class RAdam : public Optimizer {
 public:
  explicit RAdam(Params params, const RAdamOptions& options = {});
  std::string_view type_name() const override { return "RAdam"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
