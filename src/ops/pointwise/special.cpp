#include "taper/ops/special.h"

#include <numbers>

#include "core/check.h"
#include "ops/pointwise/define_rows.h"
#include "ops/pointwise/plain_loops.h"
#include "ops/pointwise/special.h"
#include "taper/ops/elementary.h"

namespace taper {
namespace {

constexpr double kInverseRootOfTwo = 0.7071067811865475;
constexpr double kInverseRootOfTwoPi = 0.3989422804014327;  ///< 1 / sqrt(2 pi)

[[noreturn]] Tensor reject_gradient(const char* input) {
  fail<NotImplementedError>("the derivative for '{}' is not implemented.", input);
}

/// Returns f(x) / x for the Bessel function f of order 1: i1, j1, or i1e, which is i1 times e^-|x|.
/// Within [-1, 1], it is computed by the series of f in (x / 2)^2, because derivatives of the
/// quotient cancel there.
Tensor order_1_over_x(const Tensor& x, const Tensor& f, bool alternates, bool is_scaled = false) {
  constexpr int kTerms = 8;  // the next one is 1.5e-15 times the first
  const Tensor is_small = x.abs() <= 1, small = x.masked_fill(is_small.logical_not(), 0);
  const Tensor z = (small * 0.5).square();
  Tensor series = ones_like(z);
  for (int k = kTerms - 1; k > 0; --k)
    series = series * z * ((alternates ? -1.0 : 1.0) / (k * (k + 1))) + 1;
  series = series * 0.5;
  if (is_scaled) series = series * (-small.abs()).exp();
  return where(is_small, series, f / x.masked_fill(is_small, 1));
}
Tensor i1_slope(const Tensor& x) { return x.i0() - order_1_over_x(x, special::i1(x), false); }
Tensor modified_i1_slope(const Tensor& x) {
  return special::modified_bessel_i0(x) - order_1_over_x(x, special::modified_bessel_i1(x), false);
}
Tensor j1_slope(const Tensor& x) {
  return special::bessel_j0(x) - order_1_over_x(x, special::bessel_j1(x), true);
}
Tensor y1_slope(const Tensor& x) {
  const Tensor slope = special::bessel_y0(x) - special::bessel_y1(x) / x;
  return where(x == 0, special_math::kInf, slope);
}
Tensor i1e_slope(const Tensor& x) {
  const Tensor f = special::i1e(x);
  return special::i0e(x) - f * x.sgn() - order_1_over_x(x, f, false, true);
}

/// Returns the derivative of erfcx. Its terms cancel far from 0, where an asymptotic series of x^-2
/// replaces them.
Tensor erfcx_slope(const Tensor& x) {
  constexpr double kFar = 50;
  constexpr int kTerms = 6;  // the next one is 1e-17 times the first
  const Tensor is_far = x > kFar;
  const Tensor z = x.masked_fill(is_far.logical_not(), kFar).reciprocal().square();
  Tensor series = ones_like(z);
  for (int k = kTerms - 1; k > 0; --k) series = series * z * -(k + 0.5) + 1;
  const Tensor near = x.masked_fill(is_far, 0);
  return where(is_far, series * z * -std::numbers::inv_sqrtpi,
               2 * near * special::erfcx(near) - 2 * std::numbers::inv_sqrtpi);
}

/// Returns the derivative of log_ndtr: the quotient of density and distribution function, by erfcx
/// for negative x only, because it overflows for positive ones.
Tensor log_ndtr_slope(const Tensor& x) {
  const Tensor is_positive = x > 0;
  const Tensor low = x.masked_fill(is_positive, 0),
               high = x.masked_fill(is_positive.logical_not(), 0);
  return where(is_positive,
               (high.square() * -0.5).exp() * kInverseRootOfTwoPi / special::ndtr(high),
               2 * kInverseRootOfTwoPi / special::erfcx(low * -kInverseRootOfTwo));
}

}  // namespace

#define UNARY(name, Type, ...) TAPER_VALUE_KERNEL(Type, kCostlyGrain)
#define PLAIN_UNARY UNARY
#define BINARY UNARY
#define PLAIN_BINARY UNARY
#define TAPER_PLAIN_ONLY
#include "ops/pointwise/special.inc"
#undef TAPER_PLAIN_ONLY

#define TAPER_FORMS_all(name, Type)             \
  TAPER_ALL_FORMS(Elementary, name, (), Type{}) \
  TAPER_INPLACE_FUNCTION(name, (), Type{})
#define TAPER_FORMS_methods(name, Type) \
  TAPER_ALL_FORMS(Elementary, name, (const Tensor& other), Type{}, other)
// The macro at the end of each form receives the arguments (name, Type) of its use.
#define TAPER_FORMS_special(f) Tensor special::f(const Tensor& input) TAPER_RUN_UNARY
#define TAPER_RUN_UNARY(name, Type) \
  { return run(Type{}, input); }
#define TAPER_FORMS_special_binary(f)                                           \
  static Tensor run_##f(const OpInput& a, const OpInput& b);                    \
  Tensor special::f(const Tensor& a, const Tensor& b) { return run_##f(a, b); } \
  Tensor special::f(const Tensor& a, const Scalar& b) { return run_##f(a, b); } \
  Tensor special::f(const Scalar& a, const Tensor& b) { return run_##f(a, b); } \
  Tensor run_##f(const OpInput& a, const OpInput& b) TAPER_RUN_BINARY
#define TAPER_RUN_BINARY(name, Type) \
  { return run(Type{}, a, b); }

#define UNARY TAPER_DEFINE_UNARY
#define PLAIN_UNARY TAPER_DEFINE_PLAIN_UNARY
#define BINARY TAPER_DEFINE_BINARY
#define PLAIN_BINARY TAPER_DEFINE_PLAIN_BINARY
#include "ops/pointwise/special.inc"

namespace {

/// Returns the logarithm of the multivariate gamma function. The terms are summed along a new
/// dimension.
Tensor multivariate_lgamma(const Tensor& input, IntArg p) {
  if (p < 1) fail<ValueError>("mvlgamma: p has to be greater than or equal to 1: got {}", p);
  const auto order = static_cast<double>(p);
  const Tensor x = input.is_floating_point() ? input : input.to(default_dtype());
  const Tensor shifts = arange(0, p, 1, {.dtype = x.dtype(), .device = x.device()}) * -0.5;
  return (x.unsqueeze(-1) + shifts).lgamma().sum(-1) +
         order * (order - 1) / 4 * std::log(std::numbers::pi);
}

}  // namespace
Tensor mvlgamma(const Tensor& input, IntArg p) { return multivariate_lgamma(input, p); }
Tensor ops::ElementaryMethods::mvlgamma(IntArg p) const {
  return multivariate_lgamma(self_of(this), p);
}
const Tensor& ops::ElementaryMethods::mvlgamma_(IntArg p) const {
  const Tensor& self = self_of(this);
  if (!self.is_floating_point())
    fail<DTypeError>("mvlgamma_: the result is a floating-point tensor and cannot be stored in {}",
                     self.dtype());
  return self.copy_(multivariate_lgamma(self, p));
}

// Second names.
#define SPECIAL_ALIAS(name, target, parameters, ...) \
  Tensor special::name parameters { return taper::target(__VA_ARGS__); }
#define SPECIAL_UNARY(name, target) SPECIAL_ALIAS(name, target, (const Tensor& input), input)
#define SPECIAL_BINARY(name, target) \
  SPECIAL_ALIAS(name, target, (const Tensor& input, const Tensor& other), input, other)
SPECIAL_UNARY(digamma, digamma)
SPECIAL_UNARY(erf, erf)
SPECIAL_UNARY(erfc, erfc)
SPECIAL_UNARY(erfinv, erfinv)
SPECIAL_UNARY(exp2, exp2)
SPECIAL_UNARY(expit, sigmoid)
SPECIAL_UNARY(expm1, expm1)
SPECIAL_UNARY(gammaln, lgamma)
SPECIAL_UNARY(i0, i0)
SPECIAL_UNARY(log1p, log1p)
SPECIAL_UNARY(psi, digamma)
SPECIAL_UNARY(sinc, sinc)
SPECIAL_BINARY(gammainc, igamma)
SPECIAL_BINARY(gammaincc, igammac)
SPECIAL_BINARY(xlogy, xlogy)
SPECIAL_ALIAS(xlogy, xlogy, (const Tensor& input, const Scalar& other), input, other)
SPECIAL_ALIAS(xlogy, xlogy, (const Scalar& self, const Tensor& other), self, other)
SPECIAL_ALIAS(logit, logit, (const Tensor& input, std::optional<FloatArg> eps), input, eps)
SPECIAL_ALIAS(multigammaln, mvlgamma, (const Tensor& input, IntArg p), input, p)
SPECIAL_ALIAS(polygamma, polygamma, (IntArg n, const Tensor& input), n, input)
SPECIAL_UNARY(round, round)
SPECIAL_ALIAS(round, round, (const Tensor& input, IntArg decimals), input, decimals)
SPECIAL_ALIAS(logsumexp, logsumexp, (const Tensor& input, const Dims& dim, bool keepdim), input,
              dim, keepdim)
SPECIAL_ALIAS(softmax, softmax, (const Tensor& input, IntArg dim, std::optional<DType> dtype),
              input, dim, dtype)
SPECIAL_ALIAS(log_softmax, log_softmax,
              (const Tensor& input, IntArg dim, std::optional<DType> dtype), input, dim, dtype)

}  // namespace taper
