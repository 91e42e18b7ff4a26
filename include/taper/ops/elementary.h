// Elementary and special functions, parts of numbers, and other element-wise functions.
//
// Operands are broadcast, promoted and overwritten as those of taper/ops/pointwise.h.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods of element-wise functions. Each is the free function of the same name below, with
/// this tensor as the first argument.
struct ElementaryMethods {
  Tensor exp2() const;
  const Tensor& exp2_() const;
  Tensor log2() const;
  const Tensor& log2_() const;
  Tensor log10() const;
  const Tensor& log10_() const;
  Tensor logit(std::optional<FloatArg> eps = {}) const;
  const Tensor& logit_(std::optional<FloatArg> eps = {}) const;
  Tensor acos() const;
  const Tensor& acos_() const;
  Tensor asin() const;
  const Tensor& asin_() const;
  Tensor atan() const;
  const Tensor& atan_() const;
  Tensor cosh() const;
  const Tensor& cosh_() const;
  Tensor sinh() const;
  const Tensor& sinh_() const;
  Tensor acosh() const;
  const Tensor& acosh_() const;
  Tensor asinh() const;
  const Tensor& asinh_() const;
  Tensor atanh() const;
  const Tensor& atanh_() const;
  Tensor sinc() const;
  const Tensor& sinc_() const;
  Tensor deg2rad() const;
  const Tensor& deg2rad_() const;
  Tensor rad2deg() const;
  const Tensor& rad2deg_() const;
  Tensor atan2(const Tensor& other) const;
  const Tensor& atan2_(const Tensor& other) const;
  Tensor erfc() const;
  const Tensor& erfc_() const;
  Tensor erfinv() const;
  const Tensor& erfinv_() const;
  Tensor lgamma() const;
  const Tensor& lgamma_() const;
  Tensor digamma() const;
  const Tensor& digamma_() const;
  Tensor polygamma(IntArg n) const;
  const Tensor& polygamma_(IntArg n) const;
  Tensor mvlgamma(IntArg p) const;
  const Tensor& mvlgamma_(IntArg p) const;
  Tensor igamma(const Tensor& other) const;
  const Tensor& igamma_(const Tensor& other) const;
  Tensor igammac(const Tensor& other) const;
  const Tensor& igammac_(const Tensor& other) const;
  Tensor i0() const;
  const Tensor& i0_() const;
  Tensor xlogy(const Tensor& other) const;
  const Tensor& xlogy_(const Tensor& other) const;
  Tensor xlogy(const Scalar& other) const;
  const Tensor& xlogy_(const Scalar& other) const;
  Tensor frac() const;
  const Tensor& frac_() const;
  Tensor nan_to_num(double nan = 0, std::optional<double> posinf = {},
                    std::optional<double> neginf = {}) const;
  const Tensor& nan_to_num_(double nan = 0, std::optional<double> posinf = {},
                            std::optional<double> neginf = {}) const;
  Tensor sgn() const;
  const Tensor& sgn_() const;
  Tensor signbit() const;
  Tensor isposinf() const;
  Tensor isneginf() const;
  Tensor copysign(const Tensor& other) const;
  const Tensor& copysign_(const Tensor& other) const;
  Tensor copysign(const Scalar& other) const;
  const Tensor& copysign_(const Scalar& other) const;
  Tensor nextafter(const Tensor& other) const;
  const Tensor& nextafter_(const Tensor& other) const;
  Tensor ldexp(const Tensor& other) const;
  const Tensor& ldexp_(const Tensor& other) const;
  Tensor heaviside(const Tensor& values) const;
  const Tensor& heaviside_(const Tensor& values) const;
  Tensor positive() const;
  Tensor hypot(const Tensor& other) const;
  const Tensor& hypot_(const Tensor& other) const;
  Tensor logaddexp(const Tensor& other) const;
  Tensor logaddexp2(const Tensor& other) const;
  Tensor fmax(const Tensor& other) const;
  Tensor fmin(const Tensor& other) const;
  Tensor gcd(const Tensor& other) const;
  const Tensor& gcd_(const Tensor& other) const;
  Tensor lcm(const Tensor& other) const;
  const Tensor& lcm_(const Tensor& other) const;
  Tensor float_power(const Tensor& exponent) const;
  const Tensor& float_power_(const Tensor& exponent) const;
  Tensor float_power(const Scalar& exponent) const;
  const Tensor& float_power_(const Scalar& exponent) const;
  Tensor isclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                 bool equal_nan = false) const;
  Tensor prelu(const Tensor& weight) const;
  Tensor hardshrink(const Scalar& lambd = 0.5) const;
  Tensor angle() const;
  Tensor isreal() const;
  Tensor real() const;
  Tensor conj() const;
  Tensor conj_physical() const;
  Tensor resolve_conj() const;
  Tensor resolve_neg() const;
  const Tensor& conj_physical_() const;
  /// Returns the mantissa in (-1, -1/2] or [1/2, 1), and the exponent; see taper::frexp.
  std::pair<Tensor, Tensor> frexp() const;
};
}  // namespace ops

// Powers and logarithms. Integers are converted to default_dtype().

/// Returns 2^input. PyTorch: torch.exp2.
Tensor exp2(const Tensor& input);
const Tensor& exp2_(const Tensor& input);
/// Return the logarithm of each element to base 2 and to base 10. PyTorch: torch.log2, torch.log10.
Tensor log2(const Tensor& input);
const Tensor& log2_(const Tensor& input);
Tensor log10(const Tensor& input);
const Tensor& log10_(const Tensor& input);
/// Returns log(z / (1 - z)), where z is the input clamped to [eps, 1 - eps], or the input if `eps`
/// is omitted: NaN outside of [0, 1]. PyTorch: torch.logit.
Tensor logit(const Tensor& input, std::optional<FloatArg> eps = {});
const Tensor& logit_(const Tensor& input, std::optional<FloatArg> eps = {});

// Trigonometric and hyperbolic functions. Integers are converted to default_dtype().

/// Return the inverse cosine, sine and tangent of each element in radians; NaN outside of the
/// domain. PyTorch: torch.acos, torch.asin, torch.atan.
Tensor acos(const Tensor& input);
const Tensor& acos_(const Tensor& input);
Tensor asin(const Tensor& input);
const Tensor& asin_(const Tensor& input);
Tensor atan(const Tensor& input);
const Tensor& atan_(const Tensor& input);
/// Return the hyperbolic cosine and sine of each element. PyTorch: torch.cosh, torch.sinh.
Tensor cosh(const Tensor& input);
const Tensor& cosh_(const Tensor& input);
Tensor sinh(const Tensor& input);
const Tensor& sinh_(const Tensor& input);
/// Return the inverse hyperbolic cosine, sine and tangent of each element; NaN outside of the
/// domain. PyTorch: torch.acosh, torch.asinh, torch.atanh.
Tensor acosh(const Tensor& input);
const Tensor& acosh_(const Tensor& input);
Tensor asinh(const Tensor& input);
const Tensor& asinh_(const Tensor& input);
Tensor atanh(const Tensor& input);
const Tensor& atanh_(const Tensor& input);
/// Returns sin(pi * input) / (pi * input), and 1 at 0. PyTorch: torch.sinc.
Tensor sinc(const Tensor& input);
const Tensor& sinc_(const Tensor& input);
/// Convert angles from degrees to radians, and from radians to degrees. PyTorch: torch.deg2rad,
/// torch.rad2deg.
Tensor deg2rad(const Tensor& input);
const Tensor& deg2rad_(const Tensor& input);
Tensor rad2deg(const Tensor& input);
const Tensor& rad2deg_(const Tensor& input);
/// Returns the angle of the point (other, input) in [-pi, pi]. PyTorch: torch.atan2.
Tensor atan2(const Tensor& input, const Tensor& other);

// Special functions. Integers are converted to default_dtype(). taper/ops/special.h has more.

/// Returns the complementary error function, 1 - erf(input). PyTorch: torch.erfc.
Tensor erfc(const Tensor& input);
const Tensor& erfc_(const Tensor& input);
/// Returns the inverse of the error function: infinite at -1 and 1, NaN beyond. PyTorch:
/// torch.erfinv.
Tensor erfinv(const Tensor& input);
/// Returns log |Gamma(input)|. PyTorch: torch.lgamma.
Tensor lgamma(const Tensor& input);
/// Returns the derivative of log Gamma; NaN for negative integers, -infinity at 0. PyTorch:
/// torch.digamma.
Tensor digamma(const Tensor& input);
/// Returns derivative n of the digamma function. Throws ValueError if n is negative. PyTorch:
/// torch.polygamma.
Tensor polygamma(IntArg n, const Tensor& input);
/// Returns the logarithm of the multivariate gamma function of dimension p: p (p - 1) / 4 * log(pi)
/// plus the sum of lgamma(input - i / 2) for i in [0, p). Throws ValueError if p < 1. PyTorch:
/// torch.mvlgamma.
Tensor mvlgamma(const Tensor& input, IntArg p);
/// Return the regularized lower and upper incomplete gamma function of `input` and `other`; NaN if
/// an argument is negative. They have no gradient with respect to `input`. Throw
/// NotImplementedError for integers. PyTorch: torch.igamma, torch.igammac.
Tensor igamma(const Tensor& input, const Tensor& other);
Tensor igammac(const Tensor& input, const Tensor& other);
/// Returns the modified Bessel function of the first kind of order 0. PyTorch: torch.i0.
Tensor i0(const Tensor& input);
const Tensor& i0_(const Tensor& input);
/// Returns input * log(other), which is 0 where input is 0, and NaN where `other` is NaN. PyTorch:
/// torch.xlogy.
Tensor xlogy(const Tensor& input, const Tensor& other);
const Tensor& xlogy_(const Tensor& input, const Tensor& other);
Tensor xlogy(const Tensor& input, const Scalar& other);
const Tensor& xlogy_(const Tensor& input, const Scalar& other);
Tensor xlogy(const Scalar& self, const Tensor& other);

// Parts of numbers.

/// Returns input - trunc(input). Throws NotImplementedError for integers. PyTorch: torch.frac.
Tensor frac(const Tensor& input);
const Tensor& frac_(const Tensor& input);
/// Replaces NaN, infinity and -infinity by `nan`, `posinf` and `neginf`; by default, by 0 and by
/// the largest and smallest finite value of the dtype. Integers are returned unchanged. The
/// gradient of replaced elements is 0. PyTorch: torch.nan_to_num.
Tensor nan_to_num(const Tensor& input, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
const Tensor& nan_to_num_(const Tensor& input, double nan = 0, std::optional<double> posinf = {},
                          std::optional<double> neginf = {});
/// Returns the sign, as `sign`. PyTorch: torch.sgn.
Tensor sgn(const Tensor& input);
/// Returns whether the sign bit is set, which includes -0. PyTorch: torch.signbit.
Tensor signbit(const Tensor& input);
/// Return whether each element is infinity, or -infinity. PyTorch: torch.isposinf, torch.isneginf.
Tensor isposinf(const Tensor& input);
Tensor isneginf(const Tensor& input);
/// Returns |input| with the sign of `other`. Integers are converted to default_dtype(). PyTorch:
/// torch.copysign.
Tensor copysign(const Tensor& input, const Tensor& other);
Tensor copysign(const Tensor& input, const Scalar& other);
/// Returns the next representable number after `input` toward `other`. Throws
/// NotImplementedError for integers. PyTorch: torch.nextafter.
Tensor nextafter(const Tensor& input, const Tensor& other);
/// Returns input * 2^other. Integers are converted to default_dtype(). PyTorch: torch.ldexp.
Tensor ldexp(const Tensor& input, const Tensor& other);
const Tensor& ldexp_(const Tensor& input, const Tensor& other);
/// Returns 0 where input < 0, 1 where input > 0, and `values` where input is 0. Has no gradient.
/// Throws DTypeError unless the dtypes are equal. PyTorch: torch.heaviside.
Tensor heaviside(const Tensor& input, const Tensor& values);
/// Returns `input`. Throws NotImplementedError for bool. PyTorch: torch.positive.
Tensor positive(const Tensor& input);
/// Decomposes each element as mantissa * 2^exponent, where the mantissa is 0 or its absolute value
/// is in [1/2, 1), and the exponent is an int32. Throws NotImplementedError for integers. PyTorch:
/// torch.frexp.
std::pair<Tensor, Tensor> frexp(const Tensor& input);

// Functions of two tensors.

/// Returns sqrt(input^2 + other^2) without overflow. Throws NotImplementedError for integers.
/// PyTorch: torch.hypot.
Tensor hypot(const Tensor& input, const Tensor& other);
/// Return log(e^input + e^other) and log2(2^input + 2^other) without overflow. Throw
/// NotImplementedError for integers. PyTorch: torch.logaddexp, torch.logaddexp2.
Tensor logaddexp(const Tensor& input, const Tensor& other);
Tensor logaddexp2(const Tensor& input, const Tensor& other);
/// Return the element-wise maximum and minimum; NaN only if both operands are NaN. Ties
/// share the gradient equally. PyTorch: torch.fmax, torch.fmin.
Tensor fmax(const Tensor& input, const Tensor& other);
Tensor fmin(const Tensor& input, const Tensor& other);
/// Return the greatest common divisor and the least common multiple of integers, which are not
/// negative. lcm is 0 if an operand is 0. Throw NotImplementedError for floating-point tensors and
/// bool. PyTorch: torch.gcd, torch.lcm.
Tensor gcd(const Tensor& input, const Tensor& other);
const Tensor& gcd_(const Tensor& input, const Tensor& other);
Tensor lcm(const Tensor& input, const Tensor& other);
const Tensor& lcm_(const Tensor& input, const Tensor& other);
/// Returns input^exponent, computed in float64. The in-place form throws DTypeError unless the
/// tensor is float64. PyTorch: torch.float_power.
Tensor float_power(const Tensor& input, const Tensor& exponent);
Tensor float_power(const Tensor& input, const Scalar& exponent);
Tensor float_power(const Scalar& self, const Tensor& exponent);
/// Returns whether |input - other| <= atol + rtol * |other|, or both are equal, or both are NaN and
/// `equal_nan` is set. Throws DTypeError if the dtypes differ, ValueError if a tolerance is
/// negative. PyTorch: torch.isclose.
Tensor isclose(const Tensor& input, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);

// Activations.

/// Returns input where input > 0, otherwise weight * input. `weight` has one element, or one per
/// channel (dimension 1). Throws ShapeError if it has another number of elements. PyTorch:
/// torch.prelu.
Tensor prelu(const Tensor& input, const Tensor& weight);

// Complex numbers. Tensors are real: the parts and conjugates are trivial.

/// Returns the argument of each element: pi for negative numbers, 0 for others, NaN for NaN.
/// Integers are converted to default_dtype(). PyTorch: torch.angle.
Tensor angle(const Tensor& input);
/// Returns true for each element. PyTorch: torch.isreal.
Tensor isreal(const Tensor& input);
/// Return `input`. PyTorch: torch.real, torch.conj, torch.conj_physical, torch.resolve_conj,
/// torch.resolve_neg.
Tensor real(const Tensor& input);
Tensor conj(const Tensor& input);
Tensor conj_physical(const Tensor& input);
Tensor resolve_conj(const Tensor& input);
Tensor resolve_neg(const Tensor& input);

}  // namespace taper
