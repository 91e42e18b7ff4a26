#include "taper/nn/functional/loss.h"
#include "ops/autocast.h"

#include "core/check.h"
#include "core/named_call.h"
#include "nn/functional/loss_shapes.h"
#include "ops/loss/functions.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/nn/detail/cross_entropy_function.h"
#include "taper/ops/result_type.h"

namespace taper::nn {

const detail::CrossEntropyFunction*& detail::cross_entropy_function() {
  thread_local const CrossEntropyFunction* function = nullptr;
  return function;
}

namespace functional {

Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& o) {
  return taper::nll_loss(input, target, o.weight, o.ignore_index, o.reduction);
}

namespace {

/// Returns the cross entropy of class indices with label smoothing: a fraction `label_smoothing` of
/// each target is distributed over all classes.
Tensor smoothed_cross_entropy(const Tensor& input, const Tensor& target,
                              const CrossEntropyFuncOptions& o) {
  const std::int64_t class_dim = input.dim() == 1 ? 0 : 1;
  const std::int64_t classes = input.size(class_dim);
  // Ignored samples are left out, not multiplied by 0: their scores and losses may be infinite.
  const Tensor ignored = target.to(DType::i64) == static_cast<std::int64_t>(o.ignore_index);
  const bool may_ignore = target.device().is_meta() || ignored.any().item<bool>();
  const bool fits = ignored.dim() + 1 == input.dim();  // otherwise nll_loss rejects the target
  const Tensor scores =
      may_ignore && fits ? input.masked_fill(ignored.unsqueeze(class_dim), 0) : input;
  const Tensor log_probs = scores.log_softmax(class_dim);
  const Tensor target_loss =
      taper::nll_loss(log_probs, target, o.weight, o.ignore_index, o.reduction);

  Tensor weighted = log_probs;
  if (o.weight) {
    Shape weight_shape = Shape::filled(static_cast<std::size_t>(input.dim()), 1);
    weight_shape[static_cast<std::size_t>(class_dim)] = classes;
    weighted = log_probs * o.weight->view(weight_shape);
  }
  Tensor uniform_loss = weighted.sum(class_dim) * -1;
  if (may_ignore) uniform_loss = uniform_loss.masked_fill(ignored, 0);
  if (o.reduction != "none") uniform_loss = uniform_loss.sum();
  if (o.reduction == "mean") {
    // For an input of -1, nll_loss returns the weight of each target's class, which is 1 without
    // weights.
    const Tensor ones = full_like(log_probs.detach(), -1);
    uniform_loss = uniform_loss / taper::nll_loss(ones, target, o.weight, o.ignore_index, "sum");
  }
  const double smoothing = o.label_smoothing;
  return target_loss * (1 - smoothing) + uniform_loss * (smoothing / static_cast<double>(classes));
}

}  // namespace

Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& o) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, cross_entropy, input, target, autocast_weight(o));
  if (const auto* function = detail::cross_entropy_function()) return (*function)(input, target, o);
  const double smoothing = o.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    fail<ValueError>("cross_entropy: label_smoothing must be between 0.0 and 1.0. Got: {}",
                     python_repr(smoothing));
  return named_call("cross_entropy", [&] {
    if (input.shape() != target.shape())
      return smoothing == 0
                 ? taper::cross_entropy(input, target, o.weight, o.ignore_index, o.reduction)
                 : smoothed_cross_entropy(input, target, o);
    if (o.ignore_index >= 0)
      fail<ValueError>("cross_entropy: ignore_index is not supported for floating point target");
    if (smoothing == 0)
      return taper::cross_entropy(input, target, o.weight, o.ignore_index, o.reduction);
    const std::int64_t classes = input.size(input.dim() == 1 ? 0 : 1);
    const Tensor smoothed_target =
        target * (1 - smoothing) + smoothing / static_cast<double>(classes);
    return taper::cross_entropy(input, smoothed_target, o.weight, o.ignore_index, o.reduction);
  });
}

void warn_size_mismatch(const Tensor& input, const Tensor& target) {
  if (input.shape() == target.shape()) return;
  warn(
      "Using a target size (torch.Size(" + target.shape().str() +
      ")) that is different to the input size (torch.Size(" + input.shape().str() +
      ")). This will likely lead to incorrect results due to broadcasting. Please ensure they have "
      "the same size.");
}

Tensor clipped_square(const Tensor& d, double limit) {
  // With the clipped difference as a factor, gradients of infinite differences are finite.
  const Tensor clipped = d.clamp(-limit, limit);
  return clipped * (d - clipped * 0.5);
}

Tensor promoted_difference(const Tensor& a, const Tensor& b) {
  if (a.dtype() != DType::bool_ && b.dtype() != DType::bool_) return a - b;
  const DType dtype = result_type(a, b);
  return a.to(dtype) - b.to(dtype);
}

bool have_one_float_dtype(const Tensor& a, const Tensor& b) {
  return a.is_floating_point() && a.dtype() == b.dtype();
}

void check_reduction(const std::string& reduction) {
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    fail<ValueError>("{} is not a valid value for reduction", reduction);
}

Tensor reduce_loss(const Tensor& terms, const std::string& reduction) {
  if (reduction == "mean") return terms.mean();
  return reduction == "sum" ? terms.sum() : terms;
}

namespace {

Tensor reduce_weighted(Tensor terms, const std::string& reduction, const Tensor& input,
                       const OptionalTensor& weight) {
  if (weight) {
    if (!(weight->shape() == input.shape()))
      fail<ValueError>("Weights and input must have the same size: got {} and {}", weight->shape(),
                       input.shape());
    terms = terms * *weight;
    if (reduction == "mean") return terms.sum() / weight->sum();
  }
  return reduce_loss(terms, reduction);
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& o) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, mse_loss, input, target, autocast_weight(o));
  check_reduction(o.reduction);
  warn_size_mismatch(input, target);
  return named_call("mse_loss", [&] {
    return reduce_weighted(promoted_difference(input, target).square(), o.reduction, input,
                           o.weight);
  });
}

Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& o) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, l1_loss, input, target, autocast_weight(o));
  check_reduction(o.reduction);
  warn_size_mismatch(input, target);
  return named_call("l1_loss", [&] {
    return reduce_weighted((input - target).abs(), o.reduction, input, o.weight);
  });
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& o) {
  if (tls.autocast) return autocast_call(AutocastPolicy::f32, smooth_l1_loss, input, target, o);
  const double beta = o.beta;
  if (!(beta >= 0))
    fail<ValueError>("smooth_l1_loss does not support negative values for beta: got {}",
                     python_repr(beta));
  if (beta == 0) return l1_loss(input, target, {.reduction = o.reduction});
  check_reduction(o.reduction);
  warn_size_mismatch(input, target);
  if (have_one_float_dtype(input, target))
    return taper::smooth_l1_loss(input, target, o.reduction, beta);
  return named_call("smooth_l1_loss", [&] {
    return reduce_loss(clipped_square(promoted_difference(input, target), beta) / beta,
                       o.reduction);
  });
}

}  // namespace functional
}  // namespace taper::nn
