// Adafactor.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Adafactor.
struct AdafactorOptions {
  ScalarArg lr = 1e-2;           ///< largest relative step size, and factor of the weight decay
  ScalarArg beta2_decay = -0.8;  ///< exponent c of the decay rate 1 - step^c of the averages
  /// Lower bounds. `first` applies to the mean of `row_var` and to the square root of the variance
  /// (None: the machine epsilon of the dtype), `second` to the RMS of the parameter.
  std::pair<std::optional<ScalarArg>, ScalarArg> eps = {std::nullopt, 1e-3};
  ScalarArg d = 1.0;              ///< clipping threshold of the update
  ScalarArg weight_decay = 0.0;   ///< decoupled weight decay
  std::optional<bool> foreach{};  ///< stored as in PyTorch; has no effect
  bool maximize = false;          ///< maximizes the objective
  TAPER_OPTIONS(lr, beta2_decay, eps, d, weight_decay, foreach, maximize)
};

/// Adafactor. For each parameter p with gradient g (negated with `maximize`) at step t:
///
///     b = t^beta2_decay
///     s = max(eps.second, RMS(p)) * min(lr, 1 / sqrt(t))
///     p = p - lr * weight_decay * p
///     r = r + b * (mean(g^2, -1) - r),  c = c + b * (mean(g^2, -2) - c)     (dim > 1)
///     v = dim > 1 ? r * c / max(mean(r, -2), eps.first) : v + b * (g^2 - v)
///     u = g / max(sqrt(v), eps.first)
///     p = p - s * u / max(1, RMS(u) / d)
///
/// State: `step` and, for more than one dimension, `row_var` (r) and `col_var` (c), otherwise
/// `variance` (v). Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory
/// Cost", 2018. PyTorch: torch.optim.Adafactor.
///
/// Throws ValueError if `lr`, an element of `eps` or `weight_decay` is negative, if `beta2_decay`
/// is positive, if `d` is less than 1, and if `params` is empty.
class Adafactor : public Optimizer {
 public:
  explicit Adafactor(Params params, const AdafactorOptions& options = {});
  std::string_view type_name() const override { return "Adafactor"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
