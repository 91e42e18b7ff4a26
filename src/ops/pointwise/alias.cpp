// Second names of functions and methods, and in-place functions: one row each.
#include "ops/forms.h"

namespace taper {

// ALIAS(name, target, parameters, arguments) defines name(x, parameters), x.name(parameters) and
// x.name_(parameters), which call the methods `target` and `target_`.
#define ALIAS(name, target, parameters, arguments)                                           \
  Tensor name(const Tensor& input TAPER_PREPEND_COMMA parameters) {                          \
    return input.target arguments;                                                           \
  }                                                                                          \
  Tensor ops::AliasMethods::name parameters const { return self_of(this).target arguments; } \
  const Tensor& ops::AliasMethods::name##_ parameters const {                                \
    return self_of(this).target##_ arguments;                                                \
  }
// INPLACE(name, parameters, arguments) defines the function name_(x, parameters).
#define INPLACE(name, parameters, arguments)                                  \
  const Tensor& name##_(const Tensor& input TAPER_PREPEND_COMMA parameters) { \
    return input.name##_ arguments;                                           \
  }

ALIAS(absolute, abs, (), ())
ALIAS(arccos, acos, (), ())
ALIAS(arccosh, acosh, (), ())
ALIAS(arcsin, asin, (), ())
ALIAS(arcsinh, asinh, (), ())
ALIAS(arctan, atan, (), ())
ALIAS(arctanh, atanh, (), ())
ALIAS(arctan2, atan2, (const Tensor& other), (other))
ALIAS(clip, clamp, (std::optional<Scalar> min, std::optional<Scalar> max), (min, max))
ALIAS(clip, clamp, (const Tensor& min, const Tensor& max), (min, max))
ALIAS(divide, div, (const Tensor& other), (other))
ALIAS(divide, div, (const Scalar& other), (other))
ALIAS(divide, div, (const Tensor& other, std::string_view rounding_mode), (other, rounding_mode))
ALIAS(divide, div, (const Scalar& other, std::string_view rounding_mode), (other, rounding_mode))
ALIAS(fix, trunc, (), ())
ALIAS(multiply, mul, (const Tensor& other), (other))
ALIAS(multiply, mul, (const Scalar& other), (other))
ALIAS(negative, neg, (), ())
ALIAS(subtract, sub, (const Tensor& other, const Scalar& alpha), (other, alpha))
ALIAS(subtract, sub, (const Scalar& other, const Scalar& alpha), (other, alpha))
ALIAS(true_divide, div, (const Tensor& other), (other))
ALIAS(true_divide, div, (const Scalar& other), (other))
ALIAS(greater, gt, (const Tensor& other), (other))
ALIAS(greater, gt, (const Scalar& other), (other))
ALIAS(greater_equal, ge, (const Tensor& other), (other))
ALIAS(greater_equal, ge, (const Scalar& other), (other))
ALIAS(less, lt, (const Tensor& other), (other))
ALIAS(less, lt, (const Scalar& other), (other))
ALIAS(less_equal, le, (const Tensor& other), (other))
ALIAS(less_equal, le, (const Scalar& other), (other))
ALIAS(not_equal, ne, (const Tensor& other), (other))
ALIAS(not_equal, ne, (const Scalar& other), (other))

INPLACE(arccos, (), ())
INPLACE(arccosh, (), ())
INPLACE(arcsin, (), ())
INPLACE(arcsinh, (), ())
INPLACE(arctan, (), ())
INPLACE(arctanh, (), ())
INPLACE(clip, (std::optional<Scalar> min, std::optional<Scalar> max), (min, max))
INPLACE(clip, (const Tensor& min, const Tensor& max), (min, max))
INPLACE(fix, (), ())
INPLACE(negative, (), ())
INPLACE(abs, (), ())
INPLACE(ceil, (), ())
INPLACE(cos, (), ())
INPLACE(erf, (), ())
INPLACE(exp, (), ())
INPLACE(expm1, (), ())
INPLACE(floor, (), ())
INPLACE(log, (), ())
INPLACE(log1p, (), ())
INPLACE(neg, (), ())
INPLACE(reciprocal, (), ())
INPLACE(relu, (), ())
INPLACE(round, (), ())
INPLACE(rsqrt, (), ())
INPLACE(sigmoid, (), ())
INPLACE(sin, (), ())
INPLACE(sqrt, (), ())
INPLACE(square, (), ())
INPLACE(tan, (), ())
INPLACE(tanh, (), ())
INPLACE(trunc, (), ())
INPLACE(zero, (), ())
INPLACE(clamp, (std::optional<Scalar> min, std::optional<Scalar> max), (min, max))
INPLACE(clamp, (const Tensor& min, const Tensor& max), (min, max))
INPLACE(clamp_max, (const Scalar& max), (max))
INPLACE(clamp_max, (const Tensor& max), (max))
INPLACE(clamp_min, (const Scalar& min), (min))
INPLACE(clamp_min, (const Tensor& min), (min))
INPLACE(fill, (const Scalar& value), (value))
INPLACE(fill, (const Tensor& value), (value))

Tensor fill(const Tensor& input, const Scalar& value) { return input.clone().fill_(value); }
Tensor fill(const Tensor& input, const Tensor& value) { return input.clone().fill_(value); }
Tensor clone(const Tensor& input) { return input.clone(); }
Tensor detach(const Tensor& input) { return input.detach(); }
std::int64_t numel(const Tensor& input) { return input.numel(); }
const Tensor& detach_(const Tensor& input) { return input.detach_(); }
bool is_inference(const Tensor& input) { return input.is_inference(); }
const Tensor& resize_as_(const Tensor& input, const Tensor& other) {
  return input.resize_as_(other);
}
const Tensor& as_strided_(const Tensor& input, const Shape& size, const Shape& stride,
                          std::optional<IntArg> storage_offset) {
  return input.as_strided_(size, stride, storage_offset);
}
bool is_same_size(const Tensor& input, const Tensor& other) { return input.is_same_size(other); }
bool is_nonzero(const Tensor& input) { return input.is_nonzero(); }
bool is_signed(const Tensor& input) { return input.is_signed(); }

}  // namespace taper
