// Adagrad.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Adagrad.
struct AdagradOptions {
  ScalarArg lr = 1e-2;                      ///< learning rate
  ScalarArg lr_decay = 0;                   ///< decay of the learning rate
  ScalarArg weight_decay = 0;               ///< weight decay (L2 penalty)
  ScalarArg initial_accumulator_value = 0;  ///< initial sum of squares
  ScalarArg eps = 1e-10;                    ///< added to the denominator
  std::optional<bool> foreach{};            ///< stored as in PyTorch; has no effect
  bool maximize = false;                    ///< maximizes the objective
  bool differentiable = false;              ///< records the steps for autograd
  std::optional<bool> fused{};              ///< stored as in PyTorch; has no effect
  TAPER_OPTIONS(lr, lr_decay, eps, weight_decay, initial_accumulator_value, foreach, maximize,
                differentiable, fused)
};

/// Adagrad. For each parameter p with gradient g at step t:
///
///     g = ±g + weight_decay * p
///     s = s + g^2
///     p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
///
/// The sign is negative with `maximize`. State, created by the constructor: `step`, `sum` (s).
/// Duchi et al., "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization",
/// 2011. PyTorch: torch.optim.Adagrad.
///
/// Throws ValueError if `lr`, `lr_decay`, `weight_decay`, `initial_accumulator_value` or `eps` is
/// negative, and if `params` is empty; RuntimeError if `fused` is combined with `foreach` or
/// `differentiable`.
class Adagrad : public Optimizer {
 public:
  explicit Adagrad(Params params, const AdagradOptions& options = {});
  std::string_view type_name() const override { return "Adagrad"; }
  /// Moves the sums of squares into memory that forked processes share.
  /// PyTorch: torch.optim.Adagrad.share_memory.
  void share_memory();

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
