// Adadelta.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Adadelta.
struct AdadeltaOptions {
  ScalarArg lr = 1.0;             ///< learning rate
  ScalarArg rho = 0.9;            ///< decay rate of the averages
  ScalarArg eps = 1e-6;           ///< added to the averages under the roots
  ScalarArg weight_decay = 0;     ///< weight decay (L2 penalty)
  std::optional<bool> foreach{};  ///< stored as in PyTorch; has no effect
  bool capturable = false;        ///< stored as in PyTorch; has no effect
  bool maximize = false;          ///< maximizes the objective
  bool differentiable = false;    ///< records the steps for autograd
  TAPER_OPTIONS(lr, rho, eps, weight_decay, maximize, capturable, foreach, differentiable)
};

/// Adadelta. For each parameter p with gradient g:
///
///     g = ±g + weight_decay * p
///     v = rho * v + (1 - rho) * g^2
///     d = sqrt(u + eps) / sqrt(v + eps) * g
///     u = rho * u + (1 - rho) * d^2
///     p = p - lr * d
///
/// The sign is negative with `maximize`. State: `step`, `square_avg` (v), `acc_delta` (u). Zeiler,
/// "ADADELTA: An Adaptive Learning Rate Method", 2012. PyTorch: torch.optim.Adadelta.
///
/// Throws ValueError if `lr`, `eps` or `weight_decay` is negative, if `rho` is not in [0, 1], and
/// if `params` is empty.
class Adadelta : public Optimizer {
 public:
  explicit Adadelta(Params params, const AdadeltaOptions& options = {});
  std::string_view type_name() const override { return "Adadelta"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
