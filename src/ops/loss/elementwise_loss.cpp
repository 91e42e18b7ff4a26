#include "taper/ops/elementwise_loss.h"

#include <numbers>

#include "core/check.h"
#include "ops/autocast.h"
#include "ops/loss/reduction.h"
#include "taper/core/tensor.h"

namespace taper {

Tensor kl_div(const Tensor& x, const Tensor& target, IntArg reduction, bool log_target) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, kl_div, x, target, reduction, log_target);
  const auto r = reduction_of(reduction, "kl_div");
  if (!x.is_floating_point() || !target.is_floating_point())
    fail<DTypeError>("kl_div: Integral inputs not supported: got {} and {}", x.dtype(),
                     target.dtype());
  if (log_target) return reduce_terms(target.exp() * (target - x), r);
  const Tensor entropy = where(target == 0, 0, target * target.log());
  return reduce_terms(entropy - target * x, r);
}

Tensor poisson_nll_loss(const Tensor& x, const Tensor& target, bool log_input, bool full,
                        FloatArg eps, IntArg reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, poisson_nll_loss, x, target, log_input, full, eps,
                         reduction);
  const auto r = reduction_of(reduction, "poisson_nll_loss");
  Tensor terms =
      log_input ? x.exp() - target * x : x - target * (x + static_cast<double>(eps)).log();
  if (full) {
    const Tensor stirling =
        target * target.log() - target + (target * (2 * std::numbers::pi)).log() * 0.5;
    terms = terms + stirling.masked_fill(target <= 1, 0);
  }
  return reduce_terms(terms, r);
}

}  // namespace taper
