// Rprop: resilient backpropagation.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Rprop.
struct RpropOptions {
  ScalarArg lr = 1e-2;  ///< learning rate
  std::pair<ScalarArg, ScalarArg> etas = {0.5,
                                          1.2};  ///< factors that shrink and grow the step sizes
  std::pair<ScalarArg, ScalarArg> step_sizes = {1e-6, 50};  ///< smallest and largest step size
  bool capturable = false;                                  ///< stored as in PyTorch; has no effect
  std::optional<bool> foreach{};                            ///< stored as in PyTorch; has no effect
  bool maximize = false;                                    ///< maximizes the objective
  bool differentiable = false;                              ///< records the steps for autograd
  TAPER_OPTIONS(lr, etas, step_sizes, foreach, maximize, differentiable, capturable)
};

/// Resilient backpropagation, for full batches. For each element of a parameter p with gradient g:
///
///     g = ±g
///     s = clamp(s * (g * q > 0 ? etas.second : g * q < 0 ? etas.first : 1), step_sizes)
///     g = g * q < 0 ? 0 : g
///     p = p - sign(g) * s
///     q = g
///
/// The sign is negative with `maximize`. State: `step`, `prev` (q), `step_size` (s, initially
/// `lr`). Riedmiller and Braun, "A Direct Adaptive Method for Faster Backpropagation Learning: The
/// RPROP Algorithm", 1993. PyTorch: torch.optim.Rprop.
///
/// Throws ValueError if `lr` is negative, unless 0 < etas.first < 1 < etas.second, and if `params`
/// is empty.
class Rprop : public Optimizer {
 public:
  explicit Rprop(Params params, const RpropOptions& options = {});
  std::string_view type_name() const override { return "Rprop"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
