// ASGD: averaged stochastic gradient descent.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of ASGD.
struct ASGDOptions {
  ScalarArg lr = 1e-2;            ///< learning rate
  ScalarArg lambd = 1e-4;         ///< decay term
  ScalarArg alpha = 0.75;         ///< exponent of the learning rate
  ScalarArg t0 = 1e6;             ///< step at which averaging starts
  ScalarArg weight_decay = 0;     ///< weight decay (L2 penalty)
  std::optional<bool> foreach{};  ///< stored as in PyTorch; has no effect
  bool maximize = false;          ///< maximizes the objective
  bool differentiable = false;    ///< records the steps for autograd
  bool capturable = false;        ///< stored as in PyTorch; has no effect
  TAPER_OPTIONS(lr, lambd, alpha, t0, weight_decay, foreach, maximize, differentiable, capturable)
};

/// Averaged stochastic gradient descent. For each parameter p with gradient g at step t:
///
///     g = ±g + weight_decay * p
///     p = (1 - lambd * eta) * p - eta * g
///     a = mu == 1 ? p : a + mu * (p - a)
///     eta = lr / (1 + lambd * lr * t)^alpha
///     mu = 1 / max(1, t - t0)
///
/// The sign is negative with `maximize`. State: `step`, `eta` (initially `lr`), `mu` (initially 1),
/// `ax` (a, the average of the parameter). Polyak and Juditsky, "Acceleration of Stochastic
/// Approximation by Averaging", 1992. PyTorch: torch.optim.ASGD.
///
/// Throws ValueError if `lr` or `weight_decay` is negative, and if `params` is empty.
class ASGD : public Optimizer {
 public:
  explicit ASGD(Params params, const ASGDOptions& options = {});
  std::string_view type_name() const override { return "ASGD"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
