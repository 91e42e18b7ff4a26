#include "taper/nn/functional/elementwise_loss.h"
#include "ops/autocast.h"

#include <cmath>
#include <numbers>

#include "core/check.h"
#include "nn/functional/loss_shapes.h"
#include "ops/loss/functions.h"
#include "ops/loss/reduction.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/ops/elementwise_loss.h"

namespace taper::nn::functional {

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& o) {
  return taper::binary_cross_entropy(input, target, o.weight, o.reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& o) {
  constexpr std::string_view kName = "binary_cross_entropy_with_logits";
  if (!(input.shape() == target.shape()))
    fail<ValueError>(
        "{}: Target size (torch.Size({})) must be the same as input size (torch.Size({}))", kName,
        target.shape().str(), input.shape().str());
  return taper::binary_cross_entropy_with_logits(input, target, o.weight, o.pos_weight,
                                                 taper::reduction_of(o.reduction, kName));
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& o) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, huber_loss, input, target, autocast_weight(o));
  check_reduction(o.reduction);
  const double delta = o.delta;
  if (!(delta > 0))
    fail<ValueError>("huber_loss does not support non-positive values for delta: got {}",
                     python_repr(delta));
  warn_size_mismatch(input, target);
  if (o.weight && !(o.weight->shape() == input.shape()))
    fail<ValueError>("huber_loss: Weights and input must have the same size: got {} and {}",
                     o.weight->shape(), input.shape());
  if (!input.is_floating_point())
    fail<NotImplementedError>("huber_loss: not implemented for input of dtype {}", input.dtype());
  const bool has_op = have_one_float_dtype(input, target);
  if (!o.weight && has_op) return taper::huber_loss(input, target, o.reduction, delta);
  const Tensor terms =
      has_op ? taper::huber_loss(input, target, "none", delta)
             : clipped_square(promoted_difference(input, target), delta).to(input.dtype());
  return reduce_loss(o.weight ? terms * *o.weight : terms, o.reduction);
}

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& o) {
  if (o.reduction == "mean")
    warn(
        "reduction: 'mean' divides the total loss by both the batch size and the support size."
        "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
        "'mean' will be changed to behave the same as 'batchmean' in the next major release.");
  if (o.reduction != "batchmean")
    return taper::kl_div(input, target, taper::reduction_of(o.reduction, "kl_div"), o.log_target);
  const Tensor total = taper::kl_div(input, target, Reduction::Sum, o.log_target);
  return input.dim() == 0 ? total : total / input.size(0);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& o) {
  return taper::poisson_nll_loss(input, target, o.log_input, o.full, o.eps,
                                 taper::reduction_of(o.reduction, "poisson_nll_loss"));
}

Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& o) {
  return taper::soft_margin_loss(input, target, o.reduction);
}

namespace {

/// Returns the variance in a shape that broadcasts with the input.
Tensor broadcast_variance(const Tensor& input, const Tensor& var) {
  if (var.shape() == input.shape()) return var;
  Shape without_last = input.shape();
  if (!without_last.empty()) without_last.erase(without_last.size() - 1);
  if (input.dim() > 0 && var.shape() == without_last) return var.unsqueeze(-1);
  std::int64_t total = 0;  // of the sizes that differ, as in PyTorch
  for (std::int64_t d = 0; input.dim() == var.dim() && d < input.dim(); ++d)
    if (input.size(d) != var.size(d)) total += var.size(d);
  if (total == 1) return var;
  fail<ValueError>("gaussian_nll_loss: var is of incorrect size: got {} for an input of shape {}",
                   var.shape(), input.shape());
}

}  // namespace

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& given_var,
                         const GaussianNLLLossFuncOptions& o) {
  check_reduction(o.reduction);
  if (!given_var.device().is_meta() && (given_var.detach() < 0).any().item<bool>())
    fail<ValueError>("gaussian_nll_loss: var has negative entry/entries");
  // As in PyTorch, the limit applies to the value of the variance, not to its gradient.
  const Tensor var = broadcast_variance(input, given_var).clone();
  {
    const NoGrad guard;
    var.clamp_min_(static_cast<double>(o.eps));
  }
  Tensor terms = (var.log() + (input - target).square() / var) * 0.5;
  if (o.full) terms = terms + 0.5 * std::log(2 * std::numbers::pi);
  return reduce_loss(terms, o.reduction);
}

}  // namespace taper::nn::functional

namespace taper::nn {

Tensor detail::gaussian_nll_loss(const Tensor& input, const Tensor& target, double var,
                                 const functional::GaussianNLLLossFuncOptions& options) {
  if (!(var >= 0))
    fail<ValueError>("gaussian_nll_loss: var has negative entry/entries: got {}", python_repr(var));
  return functional::gaussian_nll_loss(input, target, full_like(input, var), options);
}

}  // namespace taper::nn
