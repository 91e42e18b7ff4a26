// Muon.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/optim/optimizer.h"

namespace TAPER_API taper {
namespace optim {

/// Options of Muon.
struct MuonOptions {
  ScalarArg lr = 1e-3;           ///< learning rate
  ScalarArg weight_decay = 0.1;  ///< decoupled weight decay
  ScalarArg momentum = 0.95;     ///< momentum factor
  bool nesterov = true;          ///< enables Nesterov momentum
  std::array<ScalarArg, 3> ns_coefficients = {3.4445, -4.7750, 2.0315};  ///< a, b, c
  ScalarArg eps = 1e-7;  ///< lower bound of the norm that divides the update
  IntArg ns_steps = 5;   ///< number of Newton-Schulz iterations
  /// Adjustment of the learning rate to the shape: "original" (the default) or "match_rms_adamw".
  std::optional<std::string> adjust_lr_fn{};
  TAPER_OPTIONS(lr, weight_decay, momentum, nesterov, ns_coefficients, eps, ns_steps, adjust_lr_fn)
};

/// Muon, momentum orthogonalized by Newton-Schulz iterations, for matrices (A, B). For each
/// parameter p with gradient g:
///
///     m = momentum * m + (1 - momentum) * g
///     u = nesterov ? momentum * m + (1 - momentum) * g : m
///     X = u / max(|u|, eps) in bfloat16
///     X = a * X + (b * Y + c * Y^2) X  with  Y = X X^T,  ns_steps times
///     p = p - lr * weight_decay * p
///     p = p - lr * r * X
///
/// with r = sqrt(max(1, A / B)), or 0.2 * sqrt(max(A, B)) for "match_rms_adamw". State:
/// `momentum_buffer` (m). Other parameters, such as biases and embeddings, need another optimizer.
/// Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024; Liu et al.,
/// "Muon is Scalable for LLM Training", 2025. PyTorch: torch.optim.Muon.
///
/// Throws ValueError if `lr`, `momentum` or `weight_decay` is negative, if `adjust_lr_fn` is
/// unknown, if a parameter does not have two dimensions, and if `params` is empty. `step` throws
/// ValueError if `ns_steps` is 100 or more or `ns_coefficients` does not have three values.
class Muon : public Optimizer {
 public:
  explicit Muon(Params params, const MuonOptions& options = {});
  std::string_view type_name() const override { return "Muon"; }

 protected:
  void update(ParamGroup& group) override;
  void check_state(const Tensor& param, const Value& state) const override;
};

}  // namespace optim
}  // namespace taper
