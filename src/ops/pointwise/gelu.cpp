#include "ops/pointwise/gelu.h"

#include <cmath>
#include <numbers>

#include "ops/kernel/reference.h"
#include "ops/pointwise/functions.h"
#include "taper/ops/elementary.h"

namespace taper {
namespace {

bool is_tanh(const std::string& approximate) { return approximate == "tanh"; }

void check_approximate(const ShapeInference& i, const std::string& approximate) {
  if (approximate != "none" && !is_tanh(approximate))
    i.fail<ValueError>("approximate argument must be either none or tanh, got '{}'", approximate);
}

/// Returns the second derivative of gelu, differentiably.
Tensor second_derivative(const Tensor& input, const std::string& approximate) {
  // Beyond this limit it is 0, but its factors are 0 and infinity.
  const Tensor x = input.clamp(-100, 100), s = x.square();
  if (!is_tanh(approximate)) {
    constexpr double density = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return s.mul(-0.5).exp().mul(density).mul(s.mul(-1).add(2));
  }
  // With p = sigmoid(v), the derivative of x p is p + x p (1 - p) v'.
  const Tensor p = x.mul(s.mul(kTanhGeluCubic).add(1)).mul(kTanhGeluSlope).sigmoid();
  const Tensor slope = s.mul(3 * kTanhGeluCubic).add(1).mul(kTanhGeluSlope);
  const Tensor curvature = x.mul(6 * kTanhGeluCubic * kTanhGeluSlope);
  const Tensor bend = slope.square().mul(p.mul(-2).add(1)).add(curvature);
  return p.mul(p.mul(-1).add(1)).mul(slope.mul(2).add(x.mul(bend)));
}

}  // namespace

void Gelu::infer(ShapeInference& i) const {
  check_approximate(i, approximate);
  i.set_broadcast_output();
}
void Gelu::backward(BackwardContext<Gelu>& b) const {
  b[0] = run(GeluBackward{approximate}, b.grad(), b.input<0>());
}

void GeluBackward::infer(ShapeInference& i) const {
  check_approximate(i, approximate);
  i.set_broadcast_output();
}
void GeluBackward::backward(BackwardContext<GeluBackward>& b) const {
  const Tensor x = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), x);
  if (b.needs_input_grad(1))
    b[1] = b.grad().mul(b.input<0>()).mul(second_derivative(x, approximate));
}

namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2); }
double normal_density(double x) {
  return std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}
double tanh_cdf(double x) {
  return 1 / (1 + std::exp(-kTanhGeluSlope * (x + kTanhGeluCubic * x * x * x)));
}

}  // namespace

template <> void reference_kernel(const Gelu& o, const KernelArgs& k) {
  kernel::map<1>(k, [tanh = is_tanh(o.approximate)](auto v) {
    const double x = static_cast<double>(v);
    return x * (tanh ? tanh_cdf(x) : normal_cdf(x));
  });
}
template <> void reference_kernel(const GeluBackward& o, const KernelArgs& k) {
  kernel::map<2>(k, [tanh = is_tanh(o.approximate)](auto grad, auto v) {
    const double g = static_cast<double>(grad), x = static_cast<double>(v);
    if (!tanh) return g * (normal_cdf(x) + x * normal_density(x));
    const double p = tanh_cdf(x);
    return g * (p + x * p * (1 - p) * kTanhGeluSlope * (1 + 3 * kTanhGeluCubic * x * x));
  });
}

TAPER_DEFINE_OP(gelu, Gelu);
TAPER_DEFINE_OP(gelu_backward, GeluBackward);

TAPER_FUNCTION(gelu, (const std::string& approximate), Gelu{approximate})

}  // namespace taper
