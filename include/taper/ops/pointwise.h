// Arithmetic and functions, element by element.
//
// Operands of one call broadcast against each other and are promoted as in PyTorch: plain numbers
// keep the tensor's dtype where their kind allows. Shapes that do not broadcast throw ShapeError.
// A trailing underscore works in place and returns the tensor; it throws ShapeError or DTypeError
// where the result does not fit, and leaves the tensor as it was. "Floating" below means that
// integers and bools give default_dtype(). Functions for bool tensors are as PyTorch's: what is not
// defined for them throws NotImplementedError.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Each is the free function of its name below with this tensor as the first argument.
struct PointwiseMethods {
  Tensor add(const Tensor& other, const Scalar& alpha = 1) const;
  Tensor add(const Scalar& other, const Scalar& alpha = 1) const;
  const Tensor& add_(const Tensor& other, const Scalar& alpha = 1) const;
  const Tensor& add_(const Scalar& other, const Scalar& alpha = 1) const;
  Tensor sub(const Tensor& other, const Scalar& alpha = 1) const;
  Tensor sub(const Scalar& other, const Scalar& alpha = 1) const;
  const Tensor& sub_(const Tensor& other, const Scalar& alpha = 1) const;
  const Tensor& sub_(const Scalar& other, const Scalar& alpha = 1) const;
  Tensor mul(const Tensor& other) const;
  Tensor mul(const Scalar& other) const;
  const Tensor& mul_(const Tensor& other) const;
  const Tensor& mul_(const Scalar& other) const;
  Tensor div(const Tensor& other) const;
  Tensor div(const Scalar& other) const;
  Tensor div(const Tensor& other, std::string_view rounding_mode) const;
  Tensor div(const Scalar& other, std::string_view rounding_mode) const;
  const Tensor& div_(const Tensor& other) const;
  const Tensor& div_(const Scalar& other) const;
  const Tensor& div_(const Tensor& other, std::string_view rounding_mode) const;
  const Tensor& div_(const Scalar& other, std::string_view rounding_mode) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  const Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2,
                         const Scalar& value = 1) const;
  Tensor addcdiv(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  const Tensor& addcdiv_(const Tensor& tensor1, const Tensor& tensor2,
                         const Scalar& value = 1) const;
  Tensor lerp(const Tensor& end, const Scalar& weight) const;
  Tensor lerp(const Tensor& end, const Tensor& weight) const;
  const Tensor& lerp_(const Tensor& end, const Scalar& weight) const;
  const Tensor& lerp_(const Tensor& end, const Tensor& weight) const;

  Tensor neg() const;
  const Tensor& neg_() const;
  Tensor abs() const;
  const Tensor& abs_() const;
  Tensor sign() const;
  const Tensor& sign_() const;
  Tensor square() const;
  const Tensor& square_() const;
  Tensor sqrt() const;
  const Tensor& sqrt_() const;
  Tensor rsqrt() const;
  const Tensor& rsqrt_() const;
  Tensor reciprocal() const;
  const Tensor& reciprocal_() const;
  Tensor pow(const Tensor& exponent) const;
  Tensor pow(const Scalar& exponent) const;
  const Tensor& pow_(const Tensor& exponent) const;
  const Tensor& pow_(const Scalar& exponent) const;
  Tensor exp() const;
  const Tensor& exp_() const;
  Tensor expm1() const;
  const Tensor& expm1_() const;
  Tensor log() const;
  const Tensor& log_() const;
  Tensor log1p() const;
  const Tensor& log1p_() const;
  Tensor sin() const;
  const Tensor& sin_() const;
  Tensor cos() const;
  const Tensor& cos_() const;
  Tensor tanh() const;
  const Tensor& tanh_() const;
  Tensor sigmoid() const;
  const Tensor& sigmoid_() const;
  Tensor erf() const;
  const Tensor& erf_() const;
  Tensor relu() const;
  const Tensor& relu_() const;
  Tensor floor() const;
  const Tensor& floor_() const;
  Tensor ceil() const;
  const Tensor& ceil_() const;
  Tensor round() const;
  const Tensor& round_() const;
  Tensor trunc() const;
  const Tensor& trunc_() const;

  Tensor maximum(const Tensor& other) const;
  Tensor minimum(const Tensor& other) const;
  Tensor clamp(std::optional<Scalar> min, std::optional<Scalar> max = {}) const;
  Tensor clamp(const Tensor& min, const Tensor& max) const;
  const Tensor& clamp_(std::optional<Scalar> min, std::optional<Scalar> max = {}) const;
  const Tensor& clamp_(const Tensor& min, const Tensor& max) const;
  Tensor clamp_min(const Scalar& min) const;
  Tensor clamp_min(const Tensor& min) const;
  const Tensor& clamp_min_(const Scalar& min) const;
  const Tensor& clamp_min_(const Tensor& min) const;
  Tensor clamp_max(const Scalar& max) const;
  Tensor clamp_max(const Tensor& max) const;
  const Tensor& clamp_max_(const Scalar& max) const;
  const Tensor& clamp_max_(const Tensor& max) const;
  /// This tensor where `condition` holds, else `other`.
  Tensor where(const Tensor& condition, const Tensor& other) const;
  Tensor where(const Tensor& condition, const Scalar& other) const;

  Tensor eq(const Tensor& other) const;
  Tensor eq(const Scalar& other) const;
  const Tensor& eq_(const Tensor& other) const;
  const Tensor& eq_(const Scalar& other) const;
  Tensor ne(const Tensor& other) const;
  Tensor ne(const Scalar& other) const;
  const Tensor& ne_(const Tensor& other) const;
  const Tensor& ne_(const Scalar& other) const;
  Tensor lt(const Tensor& other) const;
  Tensor lt(const Scalar& other) const;
  const Tensor& lt_(const Tensor& other) const;
  const Tensor& lt_(const Scalar& other) const;
  Tensor le(const Tensor& other) const;
  Tensor le(const Scalar& other) const;
  const Tensor& le_(const Tensor& other) const;
  const Tensor& le_(const Scalar& other) const;
  Tensor gt(const Tensor& other) const;
  Tensor gt(const Scalar& other) const;
  const Tensor& gt_(const Tensor& other) const;
  const Tensor& gt_(const Scalar& other) const;
  Tensor ge(const Tensor& other) const;
  Tensor ge(const Scalar& other) const;
  const Tensor& ge_(const Tensor& other) const;
  const Tensor& ge_(const Scalar& other) const;
  Tensor logical_not() const;
  const Tensor& logical_not_() const;
  Tensor logical_and(const Tensor& other) const;
  const Tensor& logical_and_(const Tensor& other) const;
  Tensor logical_or(const Tensor& other) const;
  const Tensor& logical_or_(const Tensor& other) const;
  Tensor logical_xor(const Tensor& other) const;
  const Tensor& logical_xor_(const Tensor& other) const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
};
}  // namespace ops

// Arithmetic.

/// input + alpha * other. Throws DTypeError if alpha is a float among integers.
Tensor add(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor add(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// input - alpha * other. Not for bools.
Tensor sub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor sub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// other - alpha * input. Not for bools.
Tensor rsub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// input * other.
Tensor mul(const Tensor& input, const Tensor& other);
Tensor mul(const Tensor& input, const Scalar& other);
/// input / other. Floating.
Tensor div(const Tensor& input, const Tensor& other);
Tensor div(const Tensor& input, const Scalar& other);
/// input / other rounded towards 0 ("trunc") or down ("floor"); integers stay integers. Its
/// gradient is 0. Throws ValueError for another mode, RuntimeError if an integer is divided by 0.
Tensor div(const Tensor& input, const Tensor& other, std::string_view rounding_mode);
Tensor div(const Tensor& input, const Scalar& other, std::string_view rounding_mode);
/// input + value * tensor1 * tensor2.
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value = 1);
/// input + value * tensor1 / tensor2. Throws DTypeError if both are integers.
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value = 1);
/// input + weight * (end - input), for floating-point tensors of one dtype (else DTypeError).
Tensor lerp(const Tensor& input, const Tensor& end, const Scalar& weight);
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);

// Functions of one tensor.

/// -input.
Tensor neg(const Tensor& input);
/// |input|. The gradient at 0 is 0.
Tensor abs(const Tensor& input);
/// -1, 0 or 1; 0 for NaN.
Tensor sign(const Tensor& input);
/// input * input.
Tensor square(const Tensor& input);
/// Square root. Floating.
Tensor sqrt(const Tensor& input);
/// 1 / sqrt(input). Floating.
Tensor rsqrt(const Tensor& input);
/// 1 / input. Floating.
Tensor reciprocal(const Tensor& input);
/// input ^ exponent. Integers stay integers next to integers; then a negative number as the
/// exponent throws ValueError. A power of 0 has the gradient 0 everywhere.
Tensor pow(const Tensor& input, const Tensor& exponent);
Tensor pow(const Tensor& input, const Scalar& exponent);
Tensor pow(const Scalar& self, const Tensor& exponent);
/// e ^ input. Floating.
Tensor exp(const Tensor& input);
/// e ^ input - 1, exact near 0. Floating.
Tensor expm1(const Tensor& input);
/// Natural logarithm. Floating.
Tensor log(const Tensor& input);
/// log(1 + input), exact near 0. Floating.
Tensor log1p(const Tensor& input);
/// Sine. Floating.
Tensor sin(const Tensor& input);
/// Cosine. Floating.
Tensor cos(const Tensor& input);
/// Hyperbolic tangent. Floating.
Tensor tanh(const Tensor& input);
/// 1 / (1 + e ^ -input). Floating.
Tensor sigmoid(const Tensor& input);
/// The error function, 2 / sqrt(pi) times the integral of e ^ -t^2 from 0 to input. Floating.
Tensor erf(const Tensor& input);
/// max(input, 0). The gradient at 0 is 0.
Tensor relu(const Tensor& input);
/// input where it is greater than `threshold`, else `value`. PyTorch: F.threshold.
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value);
const Tensor& threshold_(const Tensor& input, const Scalar& threshold, const Scalar& value);
/// input where it is positive, else negative_slope * input; for floating-point tensors. PyTorch:
/// F.leaky_relu.
Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope = 0.01);
const Tensor& leaky_relu_(const Tensor& input, const Scalar& negative_slope = 0.01);
/// input where it is positive, else alpha * (e^input - 1); for floating-point tensors. PyTorch:
/// F.elu.
Tensor elu(const Tensor& input, const Scalar& alpha = 1);
const Tensor& elu_(const Tensor& input, const Scalar& alpha = 1);
/// elu, both sides scaled so that activations keep mean 0 and variance 1 (Klambauer et al. 2017).
/// PyTorch: F.selu.
Tensor selu(const Tensor& input);
const Tensor& selu_(const Tensor& input);
/// input * min(max(input + 3, 0), 6) / 6; for floating-point tensors (Howard et al. 2019). PyTorch:
/// F.hardswish.
Tensor hardswish(const Tensor& input);
const Tensor& hardswish_(const Tensor& input);
/// 0 where |input| <= lambd; elsewhere input, or input brought lambd nearer to 0. For
/// floating-point tensors. softshrink throws ValueError for a negative lambd. PyTorch:
/// F.hardshrink, F.softshrink.
Tensor hardshrink(const Tensor& input, const Scalar& lambd = 0.5);
Tensor softshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// The next whole number below, above, nearest (of two, the even one), towards 0. The gradient is
/// 0.
Tensor floor(const Tensor& input);
Tensor ceil(const Tensor& input);
Tensor round(const Tensor& input);
Tensor trunc(const Tensor& input);

// Choices.

/// The greater, the lesser of both; NaN if one is. Equal ones share the gradient.
Tensor maximum(const Tensor& input, const Tensor& other);
Tensor minimum(const Tensor& input, const Tensor& other);
/// input, at least `min` and at most `max`, which wins. One may be missing, not both (ValueError).
/// With numbers the gradient at a bound is 0; with tensors it is shared there.
Tensor clamp(const Tensor& input, std::optional<Scalar> min, std::optional<Scalar> max = {});
Tensor clamp(const Tensor& input, const Tensor& min, const Tensor& max);
Tensor clamp_min(const Tensor& input, const Scalar& min);
Tensor clamp_min(const Tensor& input, const Tensor& min);
Tensor clamp_max(const Tensor& input, const Scalar& max);
Tensor clamp_max(const Tensor& input, const Tensor& max);
/// input where condition (bool, else DTypeError) holds, else other.
Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other);
Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other);
Tensor where(const Tensor& condition, const Scalar& input, const Scalar& other);

// Comparisons and tests: bool tensors. NaN differs from everything.

Tensor eq(const Tensor& input, const Tensor& other);
Tensor eq(const Tensor& input, const Scalar& other);
Tensor ne(const Tensor& input, const Tensor& other);
Tensor ne(const Tensor& input, const Scalar& other);
Tensor lt(const Tensor& input, const Tensor& other);
Tensor lt(const Tensor& input, const Scalar& other);
Tensor le(const Tensor& input, const Tensor& other);
Tensor le(const Tensor& input, const Scalar& other);
Tensor gt(const Tensor& input, const Tensor& other);
Tensor gt(const Tensor& input, const Scalar& other);
Tensor ge(const Tensor& input, const Tensor& other);
Tensor ge(const Tensor& input, const Scalar& other);
/// Numbers count as true where they are not 0.
Tensor logical_not(const Tensor& input);
Tensor logical_and(const Tensor& input, const Tensor& other);
Tensor logical_or(const Tensor& input, const Tensor& other);
Tensor logical_xor(const Tensor& input, const Tensor& other);
Tensor isnan(const Tensor& input);
Tensor isinf(const Tensor& input);
Tensor isfinite(const Tensor& input);

// Operators: the functions above.

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, const Scalar& b);
Tensor operator+(const Scalar& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Scalar& b);
Tensor operator-(const Scalar& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Scalar& b);
Tensor operator*(const Scalar& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Scalar& b);
Tensor operator/(const Scalar& a, const Tensor& b);
Tensor operator-(const Tensor& a);
const Tensor& operator+=(const Tensor& a, const Tensor& b);
const Tensor& operator+=(const Tensor& a, const Scalar& b);
const Tensor& operator-=(const Tensor& a, const Tensor& b);
const Tensor& operator-=(const Tensor& a, const Scalar& b);
const Tensor& operator*=(const Tensor& a, const Tensor& b);
const Tensor& operator*=(const Tensor& a, const Scalar& b);
const Tensor& operator/=(const Tensor& a, const Tensor& b);
const Tensor& operator/=(const Tensor& a, const Scalar& b);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, const Scalar& b);
Tensor operator==(const Scalar& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Scalar& b);
Tensor operator!=(const Scalar& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Scalar& b);
Tensor operator<(const Scalar& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Scalar& b);
Tensor operator<=(const Scalar& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Scalar& b);
Tensor operator>(const Scalar& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Scalar& b);
Tensor operator>=(const Scalar& a, const Tensor& b);

}  // namespace taper
