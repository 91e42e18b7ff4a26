#include "ops/loss/huber_loss.h"

#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/loss/functions.h"
#include "ops/loss/reduction.h"

namespace taper {
namespace {

/// Assigns the gradients of a loss with respect to the input and the target.
template <class O> void assign_opposite(BackwardContext<O>& b, int input, const Tensor& gradient) {
  if (b.needs_input_grad(input)) b[input] = gradient;
  if (b.needs_input_grad(input + 1)) b[input + 1] = -gradient;
}

/// Backward of the gradient `op` of a loss. `slope` is the derivative of the limited difference.
template <class O>
void differentiate_gradient(BackwardContext<O>& b, const O& op, double limit, double slope) {
  const Tensor g = b.grad(), grad_output = b.template input<0>(), x = b.template input<1>(),
               target = b.template input<2>();
  if (b.needs_input_grad(0)) b[0] = run(op, g, x, target);
  if (!b.needs_input_grad(1) && !b.needs_input_grad(2)) return;
  const Tensor is_quadratic = ((x - target).abs() < limit).to(g.dtype());
  assign_opposite(b, 1, g * grad_output * is_quadratic * slope);
}

double limited(double d, double limit) { return d < -limit ? -limit : d > limit ? limit : d; }

/// Computes the integral of the limited difference.
template <class T> double huber(T x, T target, double delta) {
  const double d = std::abs(static_cast<double>(x) - static_cast<double>(target));
  return d < delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
}

}  // namespace

void SmoothL1Loss::backward(BackwardContext<SmoothL1Loss>& b) const {
  assign_opposite(b, 0, run(SmoothL1LossBackward{beta}, b.grad(), b.input<0>(), b.input<1>()));
}
void SmoothL1LossBackward::backward(BackwardContext<SmoothL1LossBackward>& b) const {
  differentiate_gradient(b, *this, beta, 1 / beta);
}
void HuberLoss::backward(BackwardContext<HuberLoss>& b) const {
  assign_opposite(b, 0, run(HuberLossBackward{delta}, b.grad(), b.input<0>(), b.input<1>()));
}
void HuberLossBackward::backward(BackwardContext<HuberLossBackward>& b) const {
  differentiate_gradient(b, *this, delta, 1);
}

template <> void reference_kernel(const SmoothL1Loss& o, const KernelArgs& k) {
  kernel::map<2>(k, [&](auto x, auto target) {
    return huber(static_cast<double>(x), static_cast<double>(target), o.beta) / o.beta;
  });
}
template <> void reference_kernel(const SmoothL1LossBackward& o, const KernelArgs& k) {
  kernel::map<3>(k, [&](auto grad, auto x, auto target) {
    const double d = static_cast<double>(x) - static_cast<double>(target);
    return static_cast<double>(grad) * (limited(d, o.beta) / o.beta);
  });
}
template <> void reference_kernel(const HuberLoss& o, const KernelArgs& k) {
  kernel::map<2>(k, [&](auto x, auto target) {
    return huber(static_cast<double>(x), static_cast<double>(target), o.delta);
  });
}
template <> void reference_kernel(const HuberLossBackward& o, const KernelArgs& k) {
  kernel::map<3>(k, [&](auto grad, auto x, auto target) {
    const double d = static_cast<double>(x) - static_cast<double>(target);
    return static_cast<double>(grad) * limited(d, o.delta);
  });
}

TAPER_DEFINE_OP(smooth_l1_loss, SmoothL1Loss);
TAPER_DEFINE_OP(smooth_l1_loss_backward, SmoothL1LossBackward);
TAPER_DEFINE_OP(huber_loss, HuberLoss);
TAPER_DEFINE_OP(huber_loss_backward, HuberLossBackward);

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const std::string& reduction,
                      double beta) {
  const auto r = reduction_of(reduction, "smooth_l1_loss");
  return reduce_terms(run(SmoothL1Loss{beta}, input, target), r);
}
Tensor huber_loss(const Tensor& input, const Tensor& target, const std::string& reduction,
                  double delta) {
  const auto r = reduction_of(reduction, "huber_loss");
  return reduce_terms(run(HuberLoss{delta}, input, target), r);
}

}  // namespace taper
