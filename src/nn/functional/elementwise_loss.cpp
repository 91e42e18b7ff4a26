#include "taper/nn/functional/elementwise_loss.h"
#include "ops/autocast.h"

#include <cmath>
#include <numbers>

#include "core/check.h"
#include "nn/functional/loss_shapes.h"
#include "taper/autograd/grad_mode.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::nn::functional {

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        OptionalTensorRef weight, const std::string& reduction,
                                        OptionalTensorRef pos_weight) {
  if (!(input.shape() == target.shape()))
    fail<ValueError>(
        "binary_cross_entropy_with_logits: Target size (torch.Size({})) must be the same as input "
        "size (torch.Size({}))",
        target.shape().str(), input.shape().str());
  return taper::binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const std::string& reduction,
                  FloatArg delta, OptionalTensorRef weight) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, huber_loss, input, target, reduction, delta, weight);
  check_reduction(reduction);
  if (!(delta > 0))
    fail<ValueError>("huber_loss does not support non-positive values for delta: got {}",
                     python_repr(delta));
  warn_size_mismatch(input, target);
  if (weight && !(weight->shape() == input.shape()))
    fail<ValueError>("huber_loss: Weights and input must have the same size: got {} and {}",
                     weight->shape(), input.shape());
  if (!input.is_floating_point())
    fail<NotImplementedError>("huber_loss: not implemented for input of dtype {}", input.dtype());
  if (!weight && have_one_float_dtype(input, target))
    return taper::huber_loss(input, target, reduction, delta);
  const Tensor terms = clipped_square(promoted_difference(input, target), delta).to(input.dtype());
  return reduce_loss(weight ? terms * *weight : terms, reduction);
}

Tensor kl_div(const Tensor& input, const Tensor& target, const std::string& reduction,
              bool log_target) {
  if (reduction == "mean")
    warn(
        "reduction: 'mean' divides the total loss by both the batch size and the support size."
        "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
        "'mean' will be changed to behave the same as 'batchmean' in the next major release.");
  if (reduction != "batchmean") return taper::kl_div(input, target, reduction, log_target);
  const Tensor total = taper::kl_div(input, target, "sum", log_target);
  return input.dim() == 0 ? total : total / input.size(0);
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
                         bool full, FloatArg eps, const std::string& reduction) {
  check_reduction(reduction);
  if (!given_var.device().is_meta() && (given_var.detach() < 0).any().item<bool>())
    fail<ValueError>("gaussian_nll_loss: var has negative entry/entries");
  // As in PyTorch, the limit applies to the value of the variance, not to its gradient.
  const Tensor var = broadcast_variance(input, given_var).clone();
  {
    const NoGrad guard;
    var.clamp_min_(static_cast<double>(eps));
  }
  Tensor terms = (var.log() + (input - target).square() / var) * 0.5;
  if (full) terms = terms + 0.5 * std::log(2 * std::numbers::pi);
  return reduce_loss(terms, reduction);
}

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, FloatArg var, bool full,
                         FloatArg eps, const std::string& reduction) {
  if (!(var >= 0))
    fail<ValueError>("gaussian_nll_loss: var has negative entry/entries: got {}", python_repr(var));
  return gaussian_nll_loss(input, target, full_like(input, static_cast<double>(var)), full, eps,
                           reduction);
}

}  // namespace taper::nn::functional
