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

/// Returns f(x), and the limit 1/2 of the slopes of j1, i1 and i1e near 0.
template <class F> Tensor slope_near_0(const Tensor& x, F&& f) {
  const Tensor is_tiny = x.abs() <= special_math::kEps;
  return where(is_tiny, 0.5, f(x.masked_fill(is_tiny, 1)));
}
Tensor i1_slope(const Tensor& x) {
  return slope_near_0(x, [](const Tensor& v) { return v.i0() - special::i1(v) / v; });
}
Tensor modified_i1_slope(const Tensor& x) {
  return slope_near_0(x, [](const Tensor& v) {
    return special::modified_bessel_i0(v) - special::modified_bessel_i1(v) / v;
  });
}
Tensor j1_slope(const Tensor& x) {
  return slope_near_0(
      x, [](const Tensor& v) { return special::bessel_j0(v) - special::bessel_j1(v) / v; });
}
Tensor y1_slope(const Tensor& x) {
  const Tensor slope = special::bessel_y0(x) - special::bessel_y1(x) / x;
  return where(x == 0, special_math::kInf, slope);
}
Tensor i1e_slope(const Tensor& x) {
  return slope_near_0(x, [](const Tensor& v) {
    return special::i0e(v) - special::i1e(v) * (v.sgn() + v.reciprocal());
  });
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
