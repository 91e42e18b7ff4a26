// SGD: stochastic gradient descent.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of SGD.
struct SGDOptions {
  ScalarArg lr = 1e-3;         ///< learning rate
  ScalarArg momentum = 0;      ///< momentum factor
  ScalarArg dampening = 0;     ///< dampening for momentum
  ScalarArg weight_decay = 0;  ///< weight decay (L2 penalty)
  bool nesterov = false;       ///< enables Nesterov momentum; requires momentum and zero dampening
  bool maximize = false;       ///< maximizes the objective
  std::optional<bool> foreach{};  ///< stored as in PyTorch; every step is fused
  bool differentiable = false;    ///< records the steps for autograd
  std::optional<bool> fused{};    ///< stored as in PyTorch; every step is fused
  TAPER_OPTIONS(lr, momentum, dampening, weight_decay, nesterov, maximize, foreach, differentiable,
                fused)
};

/// Stochastic gradient descent, optionally with momentum. For each parameter p with gradient g:
///
///     g = ±g + weight_decay * p
///     b = momentum * b + (1 - dampening) * g    (first step: b = g)
///     p = p - lr * (nesterov ? g + momentum * b : b)
///
/// The sign is negative with `maximize`. Without momentum, b = g. Each parameter is updated in one
/// pass over its elements. State: `momentum_buffer`. PyTorch: torch.optim.SGD.
///
///   optim::SGD opt(net.parameters(), {.lr = 0.1, .momentum = 0.9});
///
/// Throws ValueError if `lr`, `momentum` or `weight_decay` is negative, for `nesterov` without
/// momentum or with dampening, and if `params` is empty; RuntimeError if `fused` is combined with
/// `foreach` or `differentiable`.
class SGD : public Optimizer {
 public:
  explicit SGD(Params params, const SGDOptions& options = {});
  std::string_view type_name() const override { return "SGD"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
