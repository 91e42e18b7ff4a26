// Element-wise arithmetic, functions and comparisons.
//
// Operands are broadcast against each other and promoted as in PyTorch; scalars preserve the dtype
// of the tensor if it can represent their category. Throw ShapeError if the shapes cannot be
// broadcast, NotImplementedError if an operation is not defined for bool. Functions with a trailing
// underscore operate in place and return the tensor; they throw ShapeError or DTypeError, and leave
// the tensor unchanged, if it cannot hold the result.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods of element-wise operations. Each is the free function of the same name below,
/// with this tensor as the first argument.
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
  Tensor tan() const;
  const Tensor& tan_() const;
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
  Tensor round(IntArg decimals) const;
  const Tensor& round_(IntArg decimals) const;
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
  /// Returns this tensor where `condition` is true, otherwise `other`.
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

/// Returns input + alpha * other. Throws DTypeError if alpha is floating-point and the result is an
/// integer. PyTorch: torch.add.
Tensor add(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor add(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// Returns input - alpha * other. Throws NotImplementedError for bool. PyTorch: torch.sub.
Tensor sub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor sub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// Returns other - alpha * input. Throws NotImplementedError for bool. PyTorch: torch.rsub.
Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor rsub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// Returns input * other. PyTorch: torch.mul.
Tensor mul(const Tensor& input, const Tensor& other);
Tensor mul(const Tensor& input, const Scalar& other);
/// Returns input / other. Integers are converted to default_dtype(). PyTorch: torch.div.
Tensor div(const Tensor& input, const Tensor& other);
Tensor div(const Tensor& input, const Scalar& other);
/// Returns input / other rounded toward zero ("trunc") or down ("floor"). For integers, the result
/// is an integer. The gradient is 0. Throws ValueError for an unknown mode, RuntimeError for an
/// integer division by zero. PyTorch: torch.div.
Tensor div(const Tensor& input, const Tensor& other, std::string_view rounding_mode);
Tensor div(const Tensor& input, const Scalar& other, std::string_view rounding_mode);
/// Returns input + value * tensor1 * tensor2. PyTorch: torch.addcmul.
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value = 1);
/// Returns input + value * tensor1 / tensor2. Throws DTypeError if tensor1 and tensor2 are
/// integers. PyTorch: torch.addcdiv.
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2,
               const Scalar& value = 1);
/// Returns the linear interpolation input + weight * (end - input). Throws DTypeError unless the
/// tensors have the same floating-point dtype. PyTorch: torch.lerp.
Tensor lerp(const Tensor& input, const Tensor& end, const Scalar& weight);
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);

// Functions of one tensor.

/// Returns -input. Throws NotImplementedError for bool. PyTorch: torch.neg.
Tensor neg(const Tensor& input);
/// Returns |input|. The gradient at 0 is 0. PyTorch: torch.abs.
Tensor abs(const Tensor& input);
/// Returns the sign: -1, 0 or 1; 0 for NaN. PyTorch: torch.sign.
Tensor sign(const Tensor& input);
/// Returns input^2. PyTorch: torch.square.
Tensor square(const Tensor& input);
/// Returns the square root of each element. Integers are converted to default_dtype().
/// PyTorch: torch.sqrt.
Tensor sqrt(const Tensor& input);
/// Returns 1 / sqrt(input). Integers are converted to default_dtype(). PyTorch: torch.rsqrt.
Tensor rsqrt(const Tensor& input);
/// Returns 1 / input. Integers are converted to default_dtype(). PyTorch: torch.reciprocal.
Tensor reciprocal(const Tensor& input);
/// Returns input^exponent. For integers, the result is an integer; a negative scalar exponent then
/// throws ValueError. The gradient is 0 where the exponent is 0. PyTorch: torch.pow.
Tensor pow(const Tensor& input, const Tensor& exponent);
Tensor pow(const Tensor& input, const Scalar& exponent);
Tensor pow(const Scalar& self, const Tensor& exponent);
/// Returns e^input. Integers are converted to default_dtype(). PyTorch: torch.exp.
Tensor exp(const Tensor& input);
/// Returns e^input - 1, accurate near 0. Integers are converted to default_dtype().
/// PyTorch: torch.expm1.
Tensor expm1(const Tensor& input);
/// Returns the natural logarithm of each element. Integers are converted to default_dtype().
/// PyTorch: torch.log.
Tensor log(const Tensor& input);
/// Returns log(1 + input), accurate near 0. Integers are converted to default_dtype().
/// PyTorch: torch.log1p.
Tensor log1p(const Tensor& input);
/// Returns the sine of each element. Integers are converted to default_dtype(). PyTorch: torch.sin.
Tensor sin(const Tensor& input);
/// Returns the cosine of each element. Integers are converted to default_dtype().
/// PyTorch: torch.cos.
Tensor cos(const Tensor& input);
/// Returns the tangent of each element. Integers are converted to default_dtype().
/// PyTorch: torch.tan.
Tensor tan(const Tensor& input);
/// Returns the hyperbolic tangent of each element. Integers are converted to default_dtype().
/// PyTorch: torch.tanh.
Tensor tanh(const Tensor& input);
/// Returns 1 / (1 + e^-input). Integers are converted to default_dtype(). PyTorch: torch.sigmoid.
Tensor sigmoid(const Tensor& input);
/// Returns the error function: 2 / sqrt(pi) times the integral of e^-t^2 from 0 to input. Integers
/// are converted to default_dtype(). PyTorch: torch.erf.
Tensor erf(const Tensor& input);
/// Returns max(input, 0). The gradient at 0 is 0. PyTorch: torch.relu.
Tensor relu(const Tensor& input);
/// Returns input if input > threshold, otherwise `value`. PyTorch: torch.threshold,
/// torch.threshold_.
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value);
const Tensor& threshold_(const Tensor& input, const Scalar& threshold, const Scalar& value);
/// Returns scale * (input if input > 0, otherwise alpha * (e^input - 1)) with scale = 1.05070...
/// and alpha = 1.67326..., which drive activations toward mean 0 and variance 1 (Klambauer et al.,
/// 2017). Requires a floating-point tensor. PyTorch: torch.selu, torch.selu_.
Tensor selu(const Tensor& input);
const Tensor& selu_(const Tensor& input);
/// Rounds down (`floor`), up (`ceil`), to the nearest integer with ties to even (`round`), or
/// toward zero (`trunc`). The gradient is 0. PyTorch: torch.floor, torch.ceil, torch.round,
/// torch.trunc.
Tensor floor(const Tensor& input);
Tensor ceil(const Tensor& input);
Tensor round(const Tensor& input);
Tensor trunc(const Tensor& input);
/// Rounds to `decimals` digits after the decimal point with ties to even; a negative number rounds
/// to tens, hundreds and so on. The gradient is 0. Throws NotImplementedError for integers.
/// PyTorch: torch.round.
Tensor round(const Tensor& input, IntArg decimals);
const Tensor& round_(const Tensor& input, IntArg decimals);

// Selection.

/// Returns the element-wise maximum, or minimum; NaN if an operand is NaN. Ties share the gradient
/// equally. PyTorch: torch.maximum, torch.minimum.
Tensor maximum(const Tensor& input, const Tensor& other);
Tensor minimum(const Tensor& input, const Tensor& other);
/// Clamps `input` to [min, max]. If min > max, the result is max. One bound may be omitted; throws
/// ValueError if both are. The gradient at a scalar bound is 0; at a tensor bound it is shared.
/// Throws RuntimeError if a bound is out of the range of the dtype, except an integer that excludes
/// no element. PyTorch: torch.clamp.
Tensor clamp(const Tensor& input, std::optional<Scalar> min, std::optional<Scalar> max = {});
Tensor clamp(const Tensor& input, const Tensor& min, const Tensor& max);
/// Returns max(input, min). PyTorch: torch.clamp_min.
Tensor clamp_min(const Tensor& input, const Scalar& min);
Tensor clamp_min(const Tensor& input, const Tensor& min);
/// Returns min(input, max). PyTorch: torch.clamp_max.
Tensor clamp_max(const Tensor& input, const Scalar& max);
Tensor clamp_max(const Tensor& input, const Tensor& max);
/// Returns `input` where `condition` is true, otherwise `other`. Throws DTypeError unless
/// `condition` is a bool tensor. PyTorch: torch.where.
Tensor where(const Tensor& condition, const Tensor& input, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& input, const Scalar& other);
Tensor where(const Tensor& condition, const Scalar& input, const Tensor& other);
Tensor where(const Tensor& condition, const Scalar& input, const Scalar& other);

// Comparisons and predicates, which return bool tensors. NaN is unequal to every value.

/// Returns input == other. PyTorch: torch.eq.
Tensor eq(const Tensor& input, const Tensor& other);
Tensor eq(const Tensor& input, const Scalar& other);
/// Returns input != other. PyTorch: torch.ne.
Tensor ne(const Tensor& input, const Tensor& other);
Tensor ne(const Tensor& input, const Scalar& other);
/// Returns input < other. PyTorch: torch.lt.
Tensor lt(const Tensor& input, const Tensor& other);
Tensor lt(const Tensor& input, const Scalar& other);
/// Returns input <= other. PyTorch: torch.le.
Tensor le(const Tensor& input, const Tensor& other);
Tensor le(const Tensor& input, const Scalar& other);
/// Returns input > other. PyTorch: torch.gt.
Tensor gt(const Tensor& input, const Tensor& other);
Tensor gt(const Tensor& input, const Scalar& other);
/// Returns input >= other. PyTorch: torch.ge.
Tensor ge(const Tensor& input, const Tensor& other);
Tensor ge(const Tensor& input, const Scalar& other);
/// Logical operations, in which nonzero elements are true. PyTorch: torch.logical_not,
/// torch.logical_and, torch.logical_or, torch.logical_xor.
Tensor logical_not(const Tensor& input);
Tensor logical_and(const Tensor& input, const Tensor& other);
Tensor logical_or(const Tensor& input, const Tensor& other);
Tensor logical_xor(const Tensor& input, const Tensor& other);
/// Returns whether each element is NaN, infinite or finite. PyTorch: torch.isnan, torch.isinf,
/// torch.isfinite.
Tensor isnan(const Tensor& input);
Tensor isinf(const Tensor& input);
Tensor isfinite(const Tensor& input);

// Operators, equivalent to the functions above.

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
