// RMSprop.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of RMSprop.
struct RMSpropOptions {
  ScalarArg lr = 1e-2;            ///< learning rate
  ScalarArg alpha = 0.99;         ///< decay rate of the averages
  ScalarArg eps = 1e-8;           ///< added to the denominator
  ScalarArg weight_decay = 0;     ///< weight decay (L2 penalty)
  ScalarArg momentum = 0;         ///< momentum factor
  bool centered = false;          ///< divides by the standard deviation of the gradient
  bool capturable = false;        ///< stored as in PyTorch; has no effect
  std::optional<bool> foreach{};  ///< stored as in PyTorch; has no effect
  bool maximize = false;          ///< maximizes the objective
  bool differentiable = false;    ///< records the steps for autograd
  TAPER_OPTIONS(lr, momentum, alpha, eps, centered, weight_decay, capturable, foreach, maximize,
                differentiable)
};

/// RMSprop. For each parameter p with gradient g:
///
///     g = ±g + weight_decay * p
///     v = alpha * v + (1 - alpha) * g^2
///     a = alpha * a + (1 - alpha) * g                       (if centered)
///     d = sqrt(centered ? v - a^2 : v) + eps
///     b = momentum * b + g / d                              (without momentum: b = g / d)
///     p = p - lr * b
///
/// The sign is negative with `maximize`. State: `step`, `square_avg` (v) and, if they are used,
/// `momentum_buffer` (b) and `grad_avg` (a). Hinton, "Lecture 6e", 2012; Graves, "Generating
/// Sequences With Recurrent Neural Networks", 2013. PyTorch: torch.optim.RMSprop.
///
/// Throws ValueError if `lr`, `eps`, `momentum`, `weight_decay` or `alpha` is negative, and if
/// `params` is empty.
class RMSprop : public Optimizer {
 public:
  explicit RMSprop(Params params, const RMSpropOptions& options = {});
  std::string_view type_name() const override { return "RMSprop"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
