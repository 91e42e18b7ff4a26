#include "ops/pointwise/activations.h"

#include <cmath>

#include "ops/kernel/reference.h"
#include "ops/pointwise/elements.h"
#include "ops/pointwise/functions.h"
#include "taper/ops/activation.h"

namespace taper {

void EluBackward::backward(BackwardContext<EluBackward>& b) const {
  const Tensor x = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), x);
  if (b.needs_input_grad(1)) {
    const EluCoefficients s = EluCoefficients::from(*this);
    const Tensor second_derivative =
        (x * s.negiptcoef).exp() * (s.negcoef * s.negiptcoef * s.negiptcoef);
    b[1] = b.grad() * b.input<0>() *
           second_derivative.masked_fill(x >= 0, 0);  // PyTorch's derivative at 0
  }
}

void SoftplusBackward::backward(BackwardContext<SoftplusBackward>& b) const {
  const Tensor x = b.input<1>();
  if (b.needs_input_grad(0)) b[0] = run(*this, b.grad(), x);
  if (b.needs_input_grad(1)) {
    // The difference 1 - sigmoid(x) would lose the digits of sigmoid(-x).
    const Tensor scaled = x * beta, bend = scaled.sigmoid() * (-scaled).sigmoid() * beta;
    b[1] = b.grad() * b.input<0>() * bend.masked_fill(scaled >= threshold, 0);
  }
}

void Celu::infer(ShapeInference& i) const {
  if (alpha.to_double() == 0) i.fail<ValueError>("alpha must not be 0");
  infer_with_numbers(i, alpha);
}
void Celu::backward(BackwardContext<Celu>& b) const {
  // PyTorch rounds alpha to float in the gradient.
  const double rounded = static_cast<float>(alpha.to_double());
  b[0] = run(EluBackward{.alpha = alpha, .input_scale = 1 / rounded}, b.grad(), b.input<0>());
}

namespace {

template <bool Soft> void shrink(const Shrink<Soft>& o, const KernelArgs& k) {
  const double bound = o.lambd.to_double();
  kernel::map<1>(k, [bound](auto v) {
    const double x = static_cast<double>(v);
    if (!Soft) return x >= -bound && x <= bound ? 0 : x;
    return x > bound ? x - bound : x < -bound ? x + bound : x * 0;
  });
}
template <bool Soft> void shrink_backward(const ShrinkBackward<Soft>& o, const KernelArgs& k) {
  const double bound = o.lambd.to_double();
  kernel::map<2>(k, [bound](auto g, auto v) {
    const double x = static_cast<double>(v);
    return x >= -bound && x <= bound ? 0 : static_cast<double>(g);
  });
}

}  // namespace

template <> void reference_kernel(const Threshold& o, const KernelArgs& k) {
  kernel::map<1>(k, [&]<class T>(T x) {
    T limit = kernel::scalar_to<T>(o.threshold);
    if (std::is_integral_v<T>) limit = kernel::round_to_dtype(limit, k.compute);
    return x <= limit ? kernel::scalar_to<T>(o.value) : x;
  });
}
template <> void reference_kernel(const ThresholdBackward& o, const KernelArgs& k) {
  kernel::map<2>(
      k, [&o]<class T>(T g, T x) { return x <= kernel::scalar_to<T>(o.threshold) ? T{0} : g; });
}
template <> void reference_kernel(const LeakyRelu& o, const KernelArgs& k) {
  const double slope = o.negative_slope.to_double();
  kernel::map<1>(k, [slope](auto x) {
    return x > 0 ? static_cast<double>(x) : slope * static_cast<double>(x);
  });
}
template <> void reference_kernel(const LeakyReluBackward& o, const KernelArgs& k) {
  const double slope = o.negative_slope.to_double();
  kernel::map<2>(k, [slope](auto g, auto x) {
    return x > 0 ? static_cast<double>(g) : slope * static_cast<double>(g);
  });
}
template <> void reference_kernel(const Elu& o, const KernelArgs& k) {
  const EluCoefficients s = EluCoefficients::from(o);
  kernel::map<1>(k, [s](auto v) {
    const double x = static_cast<double>(v);
    return x > 0 ? x * s.poscoef : std::expm1(x * s.negiptcoef) * s.negcoef;
  });
}
template <> void reference_kernel(const EluBackward& o, const KernelArgs& k) {
  const EluCoefficients s = EluCoefficients::from(o);
  kernel::map<2>(k, [s](auto grad, auto v) {
    const double g = static_cast<double>(grad), x = static_cast<double>(v);
    return x <= 0 ? g * s.negiptcoef * s.negcoef * std::exp(x * s.negiptcoef) : g * s.poscoef;
  });
}
template <> void reference_kernel(const Celu& o, const KernelArgs& k) {
  reference_kernel(o.as_elu(), k);
}
template <> void reference_kernel(const Softplus& o, const KernelArgs& k) {
  const double beta = o.beta.to_double(), threshold = o.threshold.to_double();
  kernel::map<1>(k, [=](auto v) {
    const double x = static_cast<double>(v);
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  });
}
template <> void reference_kernel(const SoftplusBackward& o, const KernelArgs& k) {
  const double beta = o.beta.to_double(), threshold = o.threshold.to_double();
  kernel::map<2>(k, [=](auto grad, auto v) {
    const double g = static_cast<double>(grad), x = static_cast<double>(v);
    return x * beta > threshold ? g : g / (1 + std::exp(-x * beta));
  });
}
template <> void reference_kernel(const Softshrink& o, const KernelArgs& k) { shrink(o, k); }
template <> void reference_kernel(const Hardshrink& o, const KernelArgs& k) { shrink(o, k); }
template <> void reference_kernel(const SoftshrinkBackward& o, const KernelArgs& k) {
  shrink_backward(o, k);
}
template <> void reference_kernel(const HardshrinkBackward& o, const KernelArgs& k) {
  shrink_backward(o, k);
}

TAPER_DEFINE_OP(threshold, Threshold);
TAPER_DEFINE_OP(threshold_backward, ThresholdBackward);
TAPER_DEFINE_OP(leaky_relu, LeakyRelu);
TAPER_DEFINE_OP(leaky_relu_backward, LeakyReluBackward);
TAPER_DEFINE_OP(elu, Elu);
TAPER_DEFINE_OP(elu_backward, EluBackward);
TAPER_DEFINE_OP(celu, Celu);
TAPER_DEFINE_OP(softplus, Softplus);
TAPER_DEFINE_OP(softplus_backward, SoftplusBackward);
TAPER_DEFINE_OP(softshrink, Softshrink);
TAPER_DEFINE_OP(softshrink_backward, SoftshrinkBackward);
TAPER_DEFINE_OP(hardshrink, Hardshrink);
TAPER_DEFINE_OP(hardshrink_backward, HardshrinkBackward);

TAPER_FUNCTIONS(threshold, (const Scalar& threshold, const Scalar& value),
                (Threshold{threshold, value}))
TAPER_FUNCTIONS(leaky_relu, (const Scalar& negative_slope), LeakyRelu{negative_slope})
TAPER_FUNCTIONS(elu, (const Scalar& alpha), Elu{.alpha = alpha})
TAPER_FUNCTION(celu, (const Scalar& alpha), Celu{alpha})
TAPER_INPLACE_FUNCTION(celu, (const CELUInPlaceFuncOptions& o), Celu{o.alpha})
TAPER_FUNCTION(softplus, (const Scalar& beta, const Scalar& threshold), (Softplus{beta, threshold}))
TAPER_FUNCTION(softshrink, (const Scalar& lambd), Softshrink{lambd})
TAPER_FUNCTION(hardshrink, (const HardshrinkFuncOptions& o), Hardshrink{o.lambd})

constexpr double kSeluAlpha = 1.6732632423543772848170429916717,
                 kSeluScale = 1.0507009873554804934193349852946;
TAPER_FUNCTIONS(selu, (), (Elu{.alpha = kSeluAlpha, .scale = kSeluScale}))

}  // namespace taper
