// Adam and AdamW.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Adam.
struct AdamOptions {
  ScalarArg lr = 1e-3;                                   ///< learning rate
  std::pair<ScalarArg, ScalarArg> betas = {0.9, 0.999};  ///< decay rates of the two averages
  ScalarArg eps = 1e-8;                                  ///< added to the denominator
  ScalarArg weight_decay = 0;                            ///< weight decay
  bool amsgrad = false;                                  ///< uses the running maximum of exp_avg_sq
  std::optional<bool> foreach{};                         ///< stored as in PyTorch; has no effect
  bool maximize = false;                                 ///< maximizes the objective
  bool capturable = false;                               ///< stored as in PyTorch; has no effect
  bool differentiable = false;                           ///< records the steps for autograd
  std::optional<bool> fused{};                           ///< stored as in PyTorch; has no effect
  bool decoupled_weight_decay = false;                   ///< decays the weights as AdamW does
  TAPER_OPTIONS(lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable,
                differentiable, fused, decoupled_weight_decay)
};

/// Adam, and with decoupled weight decay AdamW. For each parameter p with gradient g at step t:
///
///     g = ±g + weight_decay * p      (decoupled: p = p - lr * weight_decay * p instead)
///     m = beta1 * m + (1 - beta1) * g
///     v = beta2 * v + (1 - beta2) * g^2
///     u = amsgrad ? max(u, v) : v
///     p = p - lr * (m / (1 - beta1^t)) / (sqrt(u / (1 - beta2^t)) + eps)
///
/// The sign is negative with `maximize`. State: `step`, `exp_avg` (m), `exp_avg_sq` (v) and, with
/// `amsgrad`, `max_exp_avg_sq` (u). Kingma and Ba, "Adam: A Method for Stochastic Optimization",
/// 2014; Reddi et al., "On the Convergence of Adam and Beyond", 2018. PyTorch: torch.optim.Adam.
///
///   optim::Adam opt(net.parameters(), {.lr = 1e-3, .betas = {0.9, 0.99}});
///
/// Throws ValueError if `lr`, `eps` or `weight_decay` is negative, if a beta is not in [0, 1), and
/// if `params` is empty; RuntimeError if `fused` is combined with `foreach` or `differentiable`.
class Adam : public Optimizer {
 public:
  explicit Adam(Params params, const AdamOptions& options = {});
  std::string_view type_name() const override { return "Adam"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

/// Options of AdamW.
struct AdamWOptions {
  ScalarArg lr = 1e-3;                                   ///< learning rate
  std::pair<ScalarArg, ScalarArg> betas = {0.9, 0.999};  ///< decay rates of the two averages
  ScalarArg eps = 1e-8;                                  ///< added to the denominator
  ScalarArg weight_decay = 1e-2;                         ///< decoupled weight decay
  bool amsgrad = false;                                  ///< uses the running maximum of exp_avg_sq
  bool maximize = false;                                 ///< maximizes the objective
  std::optional<bool> foreach{};                         ///< stored as in PyTorch; has no effect
  bool capturable = false;                               ///< stored as in PyTorch; has no effect
  bool differentiable = false;                           ///< records the steps for autograd
  std::optional<bool> fused{};                           ///< stored as in PyTorch; has no effect
  TAPER_OPTIONS(lr, betas, eps, weight_decay, amsgrad, maximize, foreach, capturable,
                differentiable, fused)
};

/// Adam with decoupled weight decay: the weights decay independently of the gradient. State and
/// errors are those of Adam. Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2017.
/// PyTorch: torch.optim.AdamW.
class AdamW : public Adam {
 public:
  explicit AdamW(Params params, const AdamWOptions& options = {});
  std::string_view type_name() const override { return "AdamW"; }
};

}  // namespace optim
}  // namespace taper
