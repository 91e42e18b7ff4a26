// Making tensors.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Uninitialised elements.
Tensor empty(const Shape& shape, const TensorOptions& options = {});
Tensor zeros(const Shape& shape, const TensorOptions& options = {});
Tensor ones(const Shape& shape, const TensorOptions& options = {});
/// All elements `value`; the dtype follows its kind (a float gives default_dtype()).
Tensor full(const Shape& shape, const Scalar& value, const TensorOptions& options = {});
Tensor empty_like(const Tensor& like, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& like, const TensorOptions& options = {});
Tensor ones_like(const Tensor& like, const TensorOptions& options = {});
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options = {});
/// start, start + step, ... below end. Integers give i64, floats default_dtype().
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
              const TensorOptions& options = {});
/// `steps` values from start to end, both included.
Tensor linspace(double start, double end, IntArg steps, const TensorOptions& options = {});
/// The n x m matrix with ones on the diagonal (m defaults to n).
Tensor eye(IntArg n, IntArg m = -1, const TensorOptions& options = {});

/// A number or a nested list of numbers: tensor({{1, 2}, {3, 4}}).
class Nested {
 public:
  Nested(const Scalar& value) : value_(value) {}
  template <class T>
  requires std::is_arithmetic_v<T> Nested(T value) : value_(value) {}
  Nested(std::initializer_list<Nested> items) : items_(items), is_list_(true) {}
  bool is_list() const { return is_list_; }
  const std::vector<Nested>& items() const { return items_; }
  const Scalar& value() const { return value_; }

 private:
  Scalar value_{};
  std::vector<Nested> items_;
  bool is_list_ = false;
};

/// A tensor of the given values. Without a dtype: bool, i64, or default_dtype() if a float is
/// there. Throws ValueError if lists of one level differ in length.
Tensor tensor(const Nested& values, const TensorOptions& options = {});
/// Copies of the values, one-dimensional or of the given shape, in their own dtype.
template <class T>
Tensor tensor(std::span<const T> values, const Shape& shape, const TensorOptions& options = {});
template <class T> Tensor tensor(const std::vector<T>& values, const TensorOptions& options = {}) {
  return tensor(std::span<const T>(values), Shape(values.size()), options);
}

/// A tensor over memory of yours, row-major unless strides are given; `deleter(data)` runs when the
/// last tensor over it is gone. PyTorch: torch::from_blob.
Tensor from_blob(void* data, const Shape& shape, const TensorOptions& options = {},
                 Function<void(void*)> deleter = {});
Tensor from_blob(void* data, const Shape& shape, const Shape& strides,
                 const TensorOptions& options = {}, Function<void(void*)> deleter = {});

/// Same shape and elements (bits of floats compare as numbers: NaN differs from itself).
/// Throws as torch.equal for different devices.
[[nodiscard]] bool equal(const Tensor& a, const Tensor& b);
/// |a - b| <= atol + rtol * |b| everywhere.
[[nodiscard]] bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5,
                            double atol = 1e-8, bool equal_nan = false);

}  // namespace taper
