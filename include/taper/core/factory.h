// Factory functions of tensors.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/detail/flat_range.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Returns a tensor with uninitialized elements. PyTorch: torch.empty.
Tensor empty(const Shape& shape, const TensorOptions& options = {});
/// As `empty`, in the given memory format. Throws RuntimeError for preserve_format and for a format
/// that requires another number of dimensions. PyTorch: torch.empty.
Tensor empty(const Shape& shape, const TensorOptions& options, MemoryFormat memory_format);
/// Returns a tensor with uninitialized elements and the given strides, in elements. Throws
/// ShapeError if their numbers differ, a stride is negative, or the size exceeds 2^63 - 1.
/// PyTorch: torch.empty_strided.
Tensor empty_strided(const Shape& size, const Shape& stride, const TensorOptions& options = {});
/// Returns a tensor of zeros. PyTorch: torch.zeros.
Tensor zeros(const Shape& shape, const TensorOptions& options = {});
/// Returns a tensor of ones. PyTorch: torch.ones.
Tensor ones(const Shape& shape, const TensorOptions& options = {});
/// Returns a tensor filled with `value`. The default dtype is that of the value: bool, i64, or
/// default_dtype() for a floating-point value. Throws RuntimeError if `value` is out of the range
/// of the dtype. PyTorch: torch.full.
Tensor full(const Shape& shape, const Scalar& value, const TensorOptions& options = {});
/// Returns a tensor with the shape and, by default, the dtype and device of `like`; the elements
/// are uninitialized, zero, one or `value`. The result is row-major unless `memory_format` is
/// given; preserve_format preserves the order of the strides. PyTorch: torch.empty_like,
/// torch.zeros_like, torch.ones_like, torch.full_like.
Tensor empty_like(const Tensor& like, const TensorOptions& options = {},
                  MemoryFormat memory_format = contiguous_format);
Tensor zeros_like(const Tensor& like, const TensorOptions& options = {},
                  MemoryFormat memory_format = contiguous_format);
Tensor ones_like(const Tensor& like, const TensorOptions& options = {},
                 MemoryFormat memory_format = contiguous_format);
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options = {},
                 MemoryFormat memory_format = contiguous_format);
/// Returns start, start + step, ... in [start, end). The default dtype is i64 for integer
/// arguments, otherwise default_dtype(). Throws ValueError if step is 0, if its sign does not match
/// the bounds, or if an argument is not finite. PyTorch: torch.arange.
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
              const TensorOptions& options = {});
/// Returns `steps` evenly spaced values from `start` to `end`, inclusive. Throws ValueError if
/// `steps` is negative, RuntimeError if a bound is out of the range of the dtype.
/// PyTorch: torch.linspace.
Tensor linspace(double start, double end, IntArg steps, const TensorOptions& options = {});
/// As `linspace(start, end, steps)`, where a bound is the element of a 0-dimensional tensor. The
/// result does not depend on the tensors for differentiation, and its dtype does not depend on
/// theirs. Throws ShapeError if a tensor has dimensions. PyTorch: torch.linspace.
Tensor linspace(const Tensor& start, const Tensor& end, IntArg steps,
                const TensorOptions& options = {});
Tensor linspace(const Tensor& start, double end, IntArg steps, const TensorOptions& options = {});
Tensor linspace(double start, const Tensor& end, IntArg steps, const TensorOptions& options = {});
/// Returns base^e for `steps` evenly spaced exponents e from `start` to `end`, inclusive. Throws
/// the errors of linspace. PyTorch: torch.logspace.
Tensor logspace(double start, double end, IntArg steps, double base = 10,
                const TensorOptions& options = {});
Tensor logspace(const Tensor& start, const Tensor& end, IntArg steps, double base = 10,
                const TensorOptions& options = {});
Tensor logspace(const Tensor& start, double end, IntArg steps, double base = 10,
                const TensorOptions& options = {});
Tensor logspace(double start, const Tensor& end, IntArg steps, double base = 10,
                const TensorOptions& options = {});
/// Returns an `(n, m)` matrix with ones on the diagonal and zeros elsewhere; if m is -1, it is
/// equal to n. Throws ValueError if n is negative or m is less than -1. PyTorch: torch.eye.
Tensor eye(IntArg n, IntArg m = -1, const TensorOptions& options = {});

/// Number or nested list of numbers, as in tensor({{1, 2}, {3, 4}}).
class NestedList {
 public:
  NestedList(const Scalar& value) : value_(value) {}
  template <class T>
  requires std::is_arithmetic_v<T> NestedList(T value) : value_(value) {}
  NestedList(std::initializer_list<NestedList> items);
  bool is_list() const { return is_list_; }
  const std::vector<NestedList>& items() const { return items_; }
  const Scalar& value() const { return value_; }

 private:
  Scalar value_{};
  std::vector<NestedList> items_;
  bool is_list_ = false;
};

/// Returns a tensor of the given values. The default dtype is bool, i64, or default_dtype() if a
/// value is floating-point. Throws ValueError if lists of the same level differ in length.
/// PyTorch: torch.tensor.
Tensor tensor(const NestedList& values, const TensorOptions& options = {});
/// Returns a tensor with copies of the values, of the given shape or 1-dimensional. The default
/// dtype is that of T. PyTorch: torch.tensor.
template <class T> TAPER_API Tensor tensor(std::span<const T> values, const Shape& shape,
                                           const TensorOptions& options = {});
/// Returns a tensor with copies of the values of a range: a std::vector, std::array, std::span or
/// array of numbers, or of such ranges, whose lengths must be equal (ValueError otherwise). The
/// default dtype is that of the numbers. PyTorch: torch.tensor.
template <detail::FlattenableRange R>
Tensor tensor(const R& values, const TensorOptions& options = {}) {
  using T = detail::StoredNumber<R>;
  static_assert(!std::is_void_v<T>,
                "tensor: the values must be bool, float, double, taper::Half, taper::BFloat16 or "
                "integers of 8 to 64 bits (std::int8_t instead of char)");
  if constexpr (std::is_void_v<T>) {
    return {};
  } else if constexpr (requires { std::span<const T>(values); }) {
    return tensor(std::span<const T>(values), Shape(std::size(values)), options);
  } else {
    const detail::FlatRange<T> flat(values);
    return tensor(std::span<const T>(flat.values.get(), flat.count), flat.shape, options);
  }
}

/// Returns a 0-dimensional tensor. Unlike `tensor`, the default dtype is always default_dtype().
/// PyTorch: torch.scalar_tensor.
Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
/// Returns the tensor itself if it has the dtype and device of `options`, otherwise a conversion,
/// which is differentiable. Values are copied, as by `tensor`. PyTorch: torch.as_tensor.
Tensor as_tensor(const Tensor& data, const TensorOptions& options = {});
Tensor as_tensor(const NestedList& data, const TensorOptions& options = {});
template <detail::FlattenableRange R>
Tensor as_tensor(const R& data, const TensorOptions& options = {}) {
  return tensor(data, options);
}
/// Options of asarray.
struct AsArrayOptions {
  TAPER_FACTORY_OPTIONS
  /// True: always copies; false: throws ValueError if a copy is necessary; default: copies if
  /// necessary.
  std::optional<bool> copy{};
  std::optional<bool> requires_grad{};  ///< default: that of the given tensor
};
/// Returns the tensor, or the given values, with the dtype and device of `options`. If
/// `requires_grad` is given and false, the result is detached. PyTorch: torch.asarray.
Tensor asarray(const Tensor& obj, const AsArrayOptions& options = {});
Tensor asarray(const NestedList& obj, const AsArrayOptions& options = {});

/// Returns a tensor that uses the memory at `data`, which is not copied. The memory must remain
/// valid until the last tensor that uses it is destroyed; `deleter(data)` is called then. Without
/// strides, the elements are in row-major order. Throws ShapeError for negative or mismatched sizes
/// and strides, ValueError if `data` is null and the tensor is not empty, DeviceError for meta.
/// PyTorch: torch::from_blob.
Tensor from_blob(void* data, const Shape& shape, const TensorOptions& options = {},
                 SharedFunction<void(void*)> deleter = {});
Tensor from_blob(void* data, const Shape& shape, const Shape& strides,
                 const TensorOptions& options = {}, SharedFunction<void(void*)> deleter = {});

/// Returns true if two tensors have the same shape and equal elements. NaN is unequal to itself.
/// Throws DeviceError if the devices differ. PyTorch: torch.equal.
[[nodiscard]] bool equal(const Tensor& a, const Tensor& b);
/// Returns true if |a - b| <= atol + rtol * |b| for all elements, with broadcasting. With
/// `equal_nan`, two NaN are equal. Throws DTypeError if the dtypes differ, ValueError if a
/// tolerance is negative, DeviceError if the devices differ. PyTorch: torch.allclose.
[[nodiscard]] bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5,
                            double atol = 1e-8, bool equal_nan = false);

}  // namespace taper
