// Elementary functions with attributes, and functions that combine ops.
#include "core/check.h"
#include "core/named_call.h"
#include "ops/kernel/reference.h"
#include "ops/pointwise/elementary.h"
#include "ops/pointwise/plain_loops.h"
#include "ops/promote.h"
#include "taper/ops/activation.h"
#include "taper/ops/result_type.h"

namespace taper {

void Logit::infer(ShapeInference& i) const {
  if (eps) i.check_range(*eps, i.common);
  i.set_broadcast_output();
}
void Logit::backward(BackwardContext<Logit>& b) const {
  const Tensor x = b.input<0>();
  const Tensor gradient = b.grad() / (x * (1 - x)).abs();  // infinite at 0 and -0
  const double low = eps.value_or(0);
  const Tensor inside = (x >= low).logical_and(x <= 1 - low);
  b[0] = where(inside, gradient, eps ? 0 : std::numeric_limits<double>::quiet_NaN());
}

void Polygamma::infer(ShapeInference& i) const {
  if (n < 0) i.fail<ValueError>("n must not be negative: got {}", n);
  i.set_broadcast_output();
}

NanToNum NanToNum::with_defaults(DType dtype) const {
  double largest = std::numeric_limits<double>::max();
  if (dtype == DType::f32) largest = std::numeric_limits<float>::max();
  if (dtype == DType::f16) largest = 65504;
  if (dtype == DType::bf16) largest = 0x1.fep127;
  NanToNum numbers;
  numbers.nan = nan.value_or(0);
  numbers.posinf = posinf.value_or(largest), numbers.neginf = neginf.value_or(-largest);
  return numbers;
}
void NanToNum::backward(BackwardContext<NanToNum>& b) const {
  b[0] = b.grad() * b.input<0>().isfinite();
}

/// Defines the op of a struct with a member function `value`.
#define DEFINE_OP(name, Type)                                                   \
  template <> void reference_kernel(const Type& o, const KernelArgs& k) {       \
    kernel::map<1>(k, [&](auto x) { return o.value(static_cast<double>(x)); }); \
  }                                                                             \
  TAPER_DEFINE_OP(name, Type);
DEFINE_OP(logit, Logit)
TAPER_VALUE_KERNEL(Polygamma, kCostlyGrain)
DEFINE_OP(polygamma, Polygamma)
DEFINE_OP(round_decimals, RoundDecimals)

template <> void reference_kernel(const NanToNum& o, const KernelArgs& k) {
  const NanToNum numbers = o.with_defaults(k.compute);
  kernel::map<1>(k, [&](auto x) { return numbers.value(x); });
}
TAPER_DEFINE_OP(nan_to_num, NanToNum);

namespace {

Logit make_logit(std::optional<FloatArg> eps) {
  Logit o;
  if (eps) o.eps = *eps;
  return o;
}
RoundDecimals make_round(IntArg decimals) {
  RoundDecimals o;
  o.decimals = decimals;
  return o;
}
NanToNum make_nan_to_num(double nan, std::optional<double> posinf, std::optional<double> neginf) {
  NanToNum o;
  o.nan = nan, o.posinf = posinf, o.neginf = neginf;
  return o;
}
Polygamma make_polygamma(IntArg n) {
  Polygamma o;
  o.n = n;
  return o;
}

}  // namespace

TAPER_ALL_FORMS(Elementary, logit, (std::optional<FloatArg> eps), make_logit(eps))
TAPER_INPLACE_FUNCTION(logit, (std::optional<FloatArg> eps), make_logit(eps))
TAPER_ALL_FORMS(Pointwise, round, (IntArg decimals), make_round(decimals))
TAPER_INPLACE_FUNCTION(round, (IntArg decimals), make_round(decimals))
#define NUMBERS (double nan, std::optional<double> posinf, std::optional<double> neginf)
TAPER_ALL_FORMS(Elementary, nan_to_num, NUMBERS, make_nan_to_num(nan, posinf, neginf))
TAPER_INPLACE_FUNCTION(nan_to_num, NUMBERS, make_nan_to_num(nan, posinf, neginf))
TAPER_METHODS(Elementary, polygamma, (IntArg n), make_polygamma(n))
Tensor polygamma(IntArg n, const Tensor& input) { return run(make_polygamma(n), input); }

// Functions of other ops.

/// Defines name(x, parameters) and x.name(parameters) by an expression of `input`.
#define COMBINE(name, parameters, arguments, ...)                                         \
  Tensor name(const Tensor& input TAPER_PREPEND_COMMA parameters) { return __VA_ARGS__; } \
  Tensor ops::ElementaryMethods::name parameters const {                                  \
    return taper::name(self_of(this) TAPER_PREPEND_COMMA arguments);                      \
  }

namespace {

/// Computes x * 2^exponent of floating-point numbers for integer exponents. Only a result overflows
/// or underflows: powers beyond the range are divided into factors.
Tensor scale_by_power(const Tensor& x, const Tensor& exponent) {
  constexpr double kLargestFactor = 1000, kLargestExponent = 2100;
  if (x.dtype() != DType::f64)  // any factor that matters is in the range of float64
    return (x.to(DType::f64) *
            pow(2.0, exponent.to(DType::f64).clamp(-kLargestFactor, kLargestFactor)))
        .to(x.dtype());
  Tensor rest = exponent.to(DType::f64).clamp(-kLargestExponent, kLargestExponent), result = x;
  for (int factors = 0; factors < 3; ++factors) {
    const Tensor part = rest.clamp(-kLargestFactor, kLargestFactor);
    result = result * pow(2.0, part);
    rest = rest - part;
  }
  return result;
}

Tensor compute_ldexp(const Tensor& input, const Tensor& other) {
  const DType result = result_type(input, other);
  if (!is_floating_point(result)) return scale_by_power(input.to(default_dtype()), other);
  // As in PyTorch, the power has the dtype of the exponents, unless they are one number.
  if (is_floating_point(other.dtype()))
    return input * pow(2.0, other.dim() == 0 ? other.to(result) : other);
  if (other.dtype() == DType::bool_)
    fail<NotImplementedError>("ldexp: not implemented for exponents of dtype bool");
  return scale_by_power(input, other);
}

}  // namespace
COMBINE(ldexp, (const Tensor& other), (other), compute_ldexp(input, other))
const Tensor& ldexp_(const Tensor& input, const Tensor& other) {
  if (!input.is_floating_point())
    fail<DTypeError>("ldexp_: the result cannot be stored in a {} tensor", input.dtype());
  if (is_floating_point(other.dtype()))
    return input.mul_(pow(2.0, other.dim() == 0 ? other.to(input.dtype()) : other));
  return input.copy_(ldexp(input, other));
}
const Tensor& ops::ElementaryMethods::ldexp_(const Tensor& other) const {
  return taper::ldexp_(self_of(this), other);
}

COMBINE(float_power, (const Tensor& exponent), (exponent),
        input.to(DType::f64).pow(exponent.to(DType::f64)))
COMBINE(float_power, (const Scalar& exponent), (exponent),
        input.to(DType::f64).pow(exponent.to_double()))
Tensor float_power(const Scalar& self, const Tensor& exponent) {
  return pow(self.to_double(), exponent.to(DType::f64));
}
namespace {
void check_float_power(const Tensor& self) {
  if (self.dtype() != DType::f64)
    fail<DTypeError>("float_power_: the result is float64 and cannot be stored in a {} tensor",
                     self.dtype());
}
}  // namespace
const Tensor& ops::ElementaryMethods::float_power_(const Tensor& exponent) const {
  check_float_power(self_of(this));
  return self_of(this).pow_(exponent.to(DType::f64));
}
const Tensor& ops::ElementaryMethods::float_power_(const Scalar& exponent) const {
  check_float_power(self_of(this));
  return self_of(this).pow_(exponent.to_double());
}

Tensor isclose(const Tensor& input, const Tensor& other, double rtol, double atol, bool equal_nan) {
  if (input.dtype() != other.dtype())
    fail<DTypeError>("isclose: {} did not match {}", input.dtype(), other.dtype());
  if (!(rtol >= 0))
    fail<ValueError>("isclose: rtol must be greater than or equal to zero, but got {}", rtol);
  if (!(atol >= 0))
    fail<ValueError>("isclose: atol must be greater than or equal to zero, but got {}", atol);
  const NoGrad guard;
  Tensor close = named_call("isclose", [&] { return input == other; });
  const bool is_float = input.is_floating_point();
  if (equal_nan && is_float) close = close.logical_or(input.isnan().logical_and(other.isnan()));
  if (rtol == 0 && atol == 0) return close;
  const Tensor a = is_float ? input : input.to(default_dtype());
  const Tensor b = is_float ? other : other.to(default_dtype());
  const Tensor difference = (a - b).abs();
  const Tensor within = difference <= (b * rtol).abs() + atol;
  return close.logical_or(difference.isfinite().logical_and(within));
}
Tensor ops::ElementaryMethods::isclose(const Tensor& other, double rtol, double atol,
                                       bool equal_nan) const {
  return taper::isclose(self_of(this), other, rtol, atol, equal_nan);
}

namespace {
const Tensor& reject_bool(const Tensor& input) {
  if (input.dtype() == DType::bool_)
    fail<NotImplementedError>("positive: The `+` operator, on a bool tensor is not supported.");
  return input;
}
}  // namespace
COMBINE(positive, (), (), reject_bool(input))
COMBINE(real, (), (), input)
COMBINE(conj, (), (), input)
COMBINE(conj_physical, (), (), input)
COMBINE(resolve_conj, (), (), input)
COMBINE(resolve_neg, (), (), input)
const Tensor& ops::ElementaryMethods::conj_physical_() const { return self_of(this); }
Tensor ops::ElementaryMethods::hardshrink(const Scalar& lambd) const {
  return taper::hardshrink(self_of(this), lambd);
}

}  // namespace taper
