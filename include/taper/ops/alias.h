// Second names of element-wise functions, and in-place functions that call the method.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "taper/core/api.h"
#include "taper/core/memory_format.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
/// Tensor methods with a second name: `absolute` is `abs`, and so on, as for the free functions
/// below.
struct AliasMethods {
  Tensor absolute() const;
  const Tensor& absolute_() const;
  Tensor arccos() const;
  const Tensor& arccos_() const;
  Tensor arccosh() const;
  const Tensor& arccosh_() const;
  Tensor arcsin() const;
  const Tensor& arcsin_() const;
  Tensor arcsinh() const;
  const Tensor& arcsinh_() const;
  Tensor arctan() const;
  const Tensor& arctan_() const;
  Tensor arctanh() const;
  const Tensor& arctanh_() const;
  Tensor arctan2(const Tensor& other) const;
  const Tensor& arctan2_(const Tensor& other) const;
  Tensor clip(std::optional<Scalar> min, std::optional<Scalar> max = {}) const;
  const Tensor& clip_(std::optional<Scalar> min, std::optional<Scalar> max = {}) const;
  Tensor clip(const Tensor& min, const Tensor& max) const;
  const Tensor& clip_(const Tensor& min, const Tensor& max) const;
  Tensor divide(const Tensor& other) const;
  const Tensor& divide_(const Tensor& other) const;
  Tensor divide(const Scalar& other) const;
  const Tensor& divide_(const Scalar& other) const;
  Tensor divide(const Tensor& other, std::string_view rounding_mode) const;
  const Tensor& divide_(const Tensor& other, std::string_view rounding_mode) const;
  Tensor divide(const Scalar& other, std::string_view rounding_mode) const;
  const Tensor& divide_(const Scalar& other, std::string_view rounding_mode) const;
  Tensor fix() const;
  const Tensor& fix_() const;
  Tensor multiply(const Tensor& other) const;
  const Tensor& multiply_(const Tensor& other) const;
  Tensor multiply(const Scalar& other) const;
  const Tensor& multiply_(const Scalar& other) const;
  Tensor negative() const;
  const Tensor& negative_() const;
  Tensor subtract(const Tensor& other, const Scalar& alpha = 1) const;
  const Tensor& subtract_(const Tensor& other, const Scalar& alpha = 1) const;
  Tensor subtract(const Scalar& other, const Scalar& alpha = 1) const;
  const Tensor& subtract_(const Scalar& other, const Scalar& alpha = 1) const;
  Tensor true_divide(const Tensor& other) const;
  const Tensor& true_divide_(const Tensor& other) const;
  Tensor true_divide(const Scalar& other) const;
  const Tensor& true_divide_(const Scalar& other) const;
  Tensor greater(const Tensor& other) const;
  const Tensor& greater_(const Tensor& other) const;
  Tensor greater(const Scalar& other) const;
  const Tensor& greater_(const Scalar& other) const;
  Tensor greater_equal(const Tensor& other) const;
  const Tensor& greater_equal_(const Tensor& other) const;
  Tensor greater_equal(const Scalar& other) const;
  const Tensor& greater_equal_(const Scalar& other) const;
  Tensor less(const Tensor& other) const;
  const Tensor& less_(const Tensor& other) const;
  Tensor less(const Scalar& other) const;
  const Tensor& less_(const Scalar& other) const;
  Tensor less_equal(const Tensor& other) const;
  const Tensor& less_equal_(const Tensor& other) const;
  Tensor less_equal(const Scalar& other) const;
  const Tensor& less_equal_(const Scalar& other) const;
  Tensor not_equal(const Tensor& other) const;
  const Tensor& not_equal_(const Tensor& other) const;
  Tensor not_equal(const Scalar& other) const;
  const Tensor& not_equal_(const Scalar& other) const;
};
}  // namespace ops

/// Equivalent to `abs`. PyTorch: torch.absolute.
Tensor absolute(const Tensor& input);
/// Equivalent to `acos`. PyTorch: torch.arccos.
Tensor arccos(const Tensor& input);
const Tensor& arccos_(const Tensor& input);
/// Equivalent to `acosh`. PyTorch: torch.arccosh.
Tensor arccosh(const Tensor& input);
const Tensor& arccosh_(const Tensor& input);
/// Equivalent to `asin`. PyTorch: torch.arcsin.
Tensor arcsin(const Tensor& input);
const Tensor& arcsin_(const Tensor& input);
/// Equivalent to `asinh`. PyTorch: torch.arcsinh.
Tensor arcsinh(const Tensor& input);
const Tensor& arcsinh_(const Tensor& input);
/// Equivalent to `atan`. PyTorch: torch.arctan.
Tensor arctan(const Tensor& input);
const Tensor& arctan_(const Tensor& input);
/// Equivalent to `atanh`. PyTorch: torch.arctanh.
Tensor arctanh(const Tensor& input);
const Tensor& arctanh_(const Tensor& input);
/// Equivalent to `atan2`. PyTorch: torch.arctan2.
Tensor arctan2(const Tensor& input, const Tensor& other);
/// Equivalent to `clamp`. PyTorch: torch.clip.
Tensor clip(const Tensor& input, std::optional<Scalar> min, std::optional<Scalar> max = {});
const Tensor& clip_(const Tensor& input, std::optional<Scalar> min, std::optional<Scalar> max = {});
Tensor clip(const Tensor& input, const Tensor& min, const Tensor& max);
const Tensor& clip_(const Tensor& input, const Tensor& min, const Tensor& max);
/// Equivalent to `div`. PyTorch: torch.divide.
Tensor divide(const Tensor& input, const Tensor& other);
Tensor divide(const Tensor& input, const Scalar& other);
Tensor divide(const Tensor& input, const Tensor& other, std::string_view rounding_mode);
Tensor divide(const Tensor& input, const Scalar& other, std::string_view rounding_mode);
/// Equivalent to `trunc`. PyTorch: torch.fix.
Tensor fix(const Tensor& input);
const Tensor& fix_(const Tensor& input);
/// Equivalent to `mul`. PyTorch: torch.multiply.
Tensor multiply(const Tensor& input, const Tensor& other);
Tensor multiply(const Tensor& input, const Scalar& other);
/// Equivalent to `neg`. PyTorch: torch.negative.
Tensor negative(const Tensor& input);
const Tensor& negative_(const Tensor& input);
/// Equivalent to `sub`. PyTorch: torch.subtract.
Tensor subtract(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
Tensor subtract(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// Equivalent to `div`. PyTorch: torch.true_divide.
Tensor true_divide(const Tensor& input, const Tensor& other);
Tensor true_divide(const Tensor& input, const Scalar& other);
/// Equivalent to `gt`. PyTorch: torch.greater.
Tensor greater(const Tensor& input, const Tensor& other);
Tensor greater(const Tensor& input, const Scalar& other);
/// Equivalent to `ge`. PyTorch: torch.greater_equal.
Tensor greater_equal(const Tensor& input, const Tensor& other);
Tensor greater_equal(const Tensor& input, const Scalar& other);
/// Equivalent to `lt`. PyTorch: torch.less.
Tensor less(const Tensor& input, const Tensor& other);
Tensor less(const Tensor& input, const Scalar& other);
/// Equivalent to `le`. PyTorch: torch.less_equal.
Tensor less_equal(const Tensor& input, const Tensor& other);
Tensor less_equal(const Tensor& input, const Scalar& other);
/// Equivalent to `ne`. PyTorch: torch.not_equal.
Tensor not_equal(const Tensor& input, const Tensor& other);
Tensor not_equal(const Tensor& input, const Scalar& other);

// Functions equivalent to the in-place method: abs_(x) is x.abs_().

const Tensor& abs_(const Tensor& input);
const Tensor& ceil_(const Tensor& input);
const Tensor& cos_(const Tensor& input);
const Tensor& erf_(const Tensor& input);
const Tensor& exp_(const Tensor& input);
const Tensor& expm1_(const Tensor& input);
const Tensor& floor_(const Tensor& input);
const Tensor& log_(const Tensor& input);
const Tensor& log1p_(const Tensor& input);
const Tensor& neg_(const Tensor& input);
const Tensor& reciprocal_(const Tensor& input);
const Tensor& relu_(const Tensor& input);
const Tensor& round_(const Tensor& input);
const Tensor& rsqrt_(const Tensor& input);
const Tensor& sigmoid_(const Tensor& input);
const Tensor& sin_(const Tensor& input);
const Tensor& sqrt_(const Tensor& input);
const Tensor& square_(const Tensor& input);
const Tensor& tan_(const Tensor& input);
const Tensor& tanh_(const Tensor& input);
const Tensor& trunc_(const Tensor& input);
const Tensor& zero_(const Tensor& input);
const Tensor& clamp_(const Tensor& input, std::optional<Scalar> min,
                     std::optional<Scalar> max = {});
const Tensor& clamp_(const Tensor& input, const Tensor& min, const Tensor& max);
const Tensor& clamp_max_(const Tensor& input, const Scalar& max);
const Tensor& clamp_max_(const Tensor& input, const Tensor& max);
const Tensor& clamp_min_(const Tensor& input, const Scalar& min);
const Tensor& clamp_min_(const Tensor& input, const Tensor& min);
const Tensor& fill_(const Tensor& input, const Scalar& value);
const Tensor& fill_(const Tensor& input, const Tensor& value);

// Functions equivalent to a method.

/// Returns a copy of `input` whose elements are `value`; a tensor must be 0-dimensional.
/// PyTorch: torch.fill.
Tensor fill(const Tensor& input, const Scalar& value);
Tensor fill(const Tensor& input, const Tensor& value);
/// Equivalent to `input.clone()`. PyTorch: torch.clone.
Tensor clone(const Tensor& input);
Tensor clone(const Tensor& input, MemoryFormat memory_format);
/// Equivalent to `input.detach()`. PyTorch: torch.detach.
Tensor detach(const Tensor& input);
/// Equivalent to `input.numel()`. PyTorch: torch.numel.
std::int64_t numel(const Tensor& input);
/// Equivalent to the methods of the same names. PyTorch: torch.detach_, torch.is_inference,
/// torch.resize_as_, torch.as_strided_.
const Tensor& detach_(const Tensor& input);
bool is_inference(const Tensor& input);
const Tensor& resize_as_(const Tensor& input, const Tensor& other);
const Tensor& as_strided_(const Tensor& input, const Shape& size, const Shape& stride,
                          std::optional<IntArg> storage_offset = {});

// Properties of tensors.

/// As the methods of Tensor. PyTorch: torch.is_same_size, torch.is_nonzero, torch.is_signed.
bool is_same_size(const Tensor& input, const Tensor& other);
bool is_nonzero(const Tensor& input);
bool is_signed(const Tensor& input);

}  // namespace taper
