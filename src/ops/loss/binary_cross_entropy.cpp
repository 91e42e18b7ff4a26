#include "ops/loss/binary_cross_entropy.h"
#include "ops/autocast.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/named_call.h"
#include "ops/kernel/reference.h"
#include "ops/loss/functions.h"
#include "ops/loss/reduction.h"
#include "taper/ops/elementwise_loss.h"

namespace taper {

namespace {

/// Smallest denominator of the gradient, as in PyTorch.
constexpr double kMinVariance = 1e-12;

}  // namespace

void reject_probability(std::string_view operand) {
  fail<ValueError>("binary_cross_entropy: all elements of {} should be between 0 and 1", operand);
}

void BinaryCrossEntropy::infer(ShapeInference& i) const {
  if (i.dtype(1) != i.dtype(0))
    i.fail<DTypeError>("found target of dtype {} but expected {}", i.dtype(1), i.dtype(0));
  i.set_broadcast_output();
}

void BinaryCrossEntropy::backward(BackwardContext<BinaryCrossEntropy>& b) const {
  const Tensor g = b.grad(), x = b.input<0>(), target = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(BinaryCrossEntropyBackward{}, g, x, target);
  if (b.needs_input_grad(1)) b[1] = g * ((-x).log1p() - x.log());
}

void BinaryCrossEntropyBackward::backward(BackwardContext<BinaryCrossEntropyBackward>& b) const {
  const Tensor g = b.grad(), grad_output = b.input<0>(), x = b.input<1>(), target = b.input<2>();
  if (b.needs_input_grad(0)) b[0] = run(BinaryCrossEntropyBackward{}, g, x, target);
  if (b.needs_input_grad(1)) {
    // As in PyTorch, also where the denominator is limited.
    const Tensor root = (x + kMinVariance) * (1 - x + kMinVariance);
    b[1] = g * grad_output * (x.square() - 2 * x * target + target) / root.square();
  }
  if (b.needs_input_grad(2)) b[2] = -g * grad_output / ((1 - x) * x).clamp_min(kMinVariance);
}

namespace {

void infer_logits_loss(ShapeInference& i) {
  if (!is_floating_point(i.dtype(0))) i.reject_dtype(i.dtype(0));
  if (!is_floating_point(i.dtype(1)))
    i.fail<DTypeError>("expected a target of a floating-point dtype, got {}", i.dtype(1));
  i.set_broadcast_output();
}

}  // namespace

void BinaryCrossEntropyWithLogits::infer(ShapeInference& i) const { infer_logits_loss(i); }
void LogitsCrossEntropy::infer(ShapeInference& i) const { infer_logits_loss(i); }

void LogitsCrossEntropy::backward(BackwardContext<LogitsCrossEntropy>& b) const {
  const Tensor g = b.grad(), x = b.input<0>(), target = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(LogitsCrossEntropyBackward{}, g, x, target);
  // The logarithms of both probabilities differ by the logit.
  if (b.needs_input_grad(1)) b[1] = -(g * x);
}

void LogitsCrossEntropyBackward::backward(BackwardContext<LogitsCrossEntropyBackward>& b) const {
  const Tensor g = b.grad(), grad_output = b.input<0>(), x = b.input<1>(), target = b.input<2>();
  if (b.needs_input_grad(0)) b[0] = run(LogitsCrossEntropyBackward{}, g, x, target);
  if (b.needs_input_grad(1)) {
    const Tensor p = x.sigmoid();
    b[1] = g * grad_output * p * (1 - p);
  }
  if (b.needs_input_grad(2)) b[2] = -(g * grad_output);
}

void BinaryCrossEntropyWithLogits::backward(
    BackwardContext<BinaryCrossEntropyWithLogits>& b) const {
  const Tensor g = b.grad(), x = b.input<0>(), target = b.input<1>(), weight = b.input<2>();
  if (b.needs_input_grad(0))
    b[0] = g * ((1 - target) * x.sigmoid() - weight * target * (-x).sigmoid());
  if (b.needs_input_grad(1))
    b[1] = g * (weight * negative_log_sigmoid(x) - negative_log_sigmoid(-x));
  if (b.needs_input_grad(2)) b[2] = g * target * negative_log_sigmoid(x);
}

namespace {

double log_at_least(double value) { return std::max(value, -100.0); }

/// Returns a tensor without dimensions, which broadcasts in kernels and gradients.
Tensor one_like(const Tensor& x) { return ones({}, {.dtype = x.dtype(), .device = x.device()}); }

}  // namespace

template <> void reference_kernel(const BinaryCrossEntropy&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto x, auto target) {
    const auto p = static_cast<double>(x), t = static_cast<double>(target);
    if (!(p >= 0 && p <= 1)) reject_probability("input");
    if (!(t >= 0 && t <= 1)) reject_probability("target");
    return (t - 1) * log_at_least(std::log1p(-p)) - t * log_at_least(std::log(p));
  });
}

template <> void reference_kernel(const BinaryCrossEntropyBackward&, const KernelArgs& k) {
  kernel::map<3>(k, [](auto grad, auto x, auto target) {
    const auto p = static_cast<double>(x);
    return static_cast<double>(grad) * (p - static_cast<double>(target)) /
           std::max((1 - p) * p, kMinVariance);
  });
}

template <> void reference_kernel(const BinaryCrossEntropyWithLogits&, const KernelArgs& k) {
  kernel::map<3>(k, [](auto input, auto target, auto weight) {
    const auto x = static_cast<double>(input), t = static_cast<double>(target);
    const double rest = std::log1p(std::exp(-std::abs(x)));
    return static_cast<double>(weight) * t * (rest + std::max(-x, 0.0)) +
           (1 - t) * (rest + std::max(x, 0.0));
  });
}

template <> void reference_kernel(const LogitsCrossEntropy&, const KernelArgs& k) {
  kernel::map<2>(k, [](auto input, auto target) {
    const auto x = static_cast<double>(input), t = static_cast<double>(target);
    return std::log1p(std::exp(-std::abs(x))) + t * std::max(-x, 0.0) + (1 - t) * std::max(x, 0.0);
  });
}

template <> void reference_kernel(const LogitsCrossEntropyBackward&, const KernelArgs& k) {
  kernel::map<3>(k, [](auto grad, auto input, auto target) {
    const auto x = static_cast<double>(input);
    return static_cast<double>(grad) * (1 / (1 + std::exp(-x)) - static_cast<double>(target));
  });
}

TAPER_DEFINE_OP(binary_cross_entropy, BinaryCrossEntropy);
TAPER_DEFINE_OP(binary_cross_entropy_backward, BinaryCrossEntropyBackward);
TAPER_DEFINE_OP(binary_cross_entropy_with_logits, BinaryCrossEntropyWithLogits);
TAPER_DEFINE_OP(logits_cross_entropy, LogitsCrossEntropy);
TAPER_DEFINE_OP(logits_cross_entropy_backward, LogitsCrossEntropyBackward);

Tensor negative_log_sigmoid(const Tensor& x) {
  const Tensor one = one_like(x);
  return run(BinaryCrossEntropyWithLogits{}, x, one, one);
}
Tensor logits_cross_entropy(const Tensor& x, const Tensor& target) {
  return run(LogitsCrossEntropy{}, x, target);
}

namespace {

/// Throws ShapeError if other operands broadcast the loss of each element beyond the shape of the
/// tensor in which PyTorch stores it.
void check_broadcast_shape(std::string_view op, const Tensor& terms, const Tensor& stored,
                           std::string_view name) {
  if (terms.shape() != stored.shape())
    fail<ShapeError>("{}: {} of shape {} doesn't match the broadcast shape {}", op, name,
                     stored.shape(), terms.shape());
}

}  // namespace

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, OptionalTensorRef weight,
                            const std::string& reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, binary_cross_entropy, input, target, weight,
                         reduction);
  const auto r = reduction_of(reduction, "binary_cross_entropy");
  if (!(input.shape() == target.shape()))
    fail<ValueError>(
        "binary_cross_entropy: Using a target size (torch.Size({})) that is different to the input "
        "size (torch.Size({})) is deprecated. Please ensure they have the same size.",
        target.shape().str(), input.shape().str());
  Tensor terms = run(BinaryCrossEntropy{}, input, target);
  if (weight) {
    terms = (terms * *weight).to(input.dtype());
    check_broadcast_shape("binary_cross_entropy", terms, input, "input");
  }
  return reduce_terms(terms, r);
}

Tensor binary_cross_entropy_with_logits(const Tensor& x, const Tensor& target,
                                        OptionalTensorRef weight, OptionalTensorRef pos_weight,
                                        IntArg reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, binary_cross_entropy_with_logits, x, target, weight,
                         pos_weight, reduction);
  const auto r = reduction_of(reduction, "binary_cross_entropy_with_logits");
  Tensor terms = pos_weight ? run(BinaryCrossEntropyWithLogits{}, x, target, *pos_weight)
                            : logits_cross_entropy(x, target);
  if (weight) terms = terms * *weight;
  check_broadcast_shape("binary_cross_entropy_with_logits", terms, target, "target");
  // PyTorch computes the loss in place of 1 - target, and therefore in its dtype.
  return reduce_terms(terms.to(target.dtype()), r);
}

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, const std::string& reduction) {
  if (tls.autocast)
    return autocast_call(AutocastPolicy::f32, soft_margin_loss, input, target, reduction);
  const auto r = reduction_of(reduction, "soft_margin_loss");
  if (!input.is_floating_point())
    fail<DTypeError>("soft_margin_loss: the loss cannot be stored in the dtype of the input, {}",
                     input.dtype());
  const Tensor terms = named_call(
      "soft_margin_loss", [&] { return negative_log_sigmoid(input * target).to(input.dtype()); });
  check_broadcast_shape("soft_margin_loss", terms, input, "input");
  return reduce_terms(terms, r);
}

}  // namespace taper
