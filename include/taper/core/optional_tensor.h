// Tensor arguments that may be left out.
#pragma once
#include <concepts>
#include <optional>
#include <type_traits>

#include "taper/core/api.h"

namespace TAPER_API taper {
class Tensor;

/// A tensor argument, or none: takes a tensor, `std::nullopt` or `{}`, and a std::optional of a
/// tensor or parameter, such as the `bias` of a layer. Refers to the tensor and is valid as long as
/// it. PyTorch: at::OptionalTensorRef.
class OptionalTensorRef {
 public:
  OptionalTensorRef() = default;
  OptionalTensorRef(std::nullopt_t) {}
  /// Throws ValueError for an undefined tensor.
  OptionalTensorRef(const Tensor& tensor);
  /// None for an optional without a value, or with an undefined one.
  template <class T>
  requires std::derived_from<T, Tensor> OptionalTensorRef(const std::optional<T>& tensor)
      : tensor_(tensor && tensor->defined() ? &*tensor : nullptr) {}

  bool has_value() const { return tensor_; }
  explicit operator bool() const { return tensor_; }
  const Tensor& operator*() const { return *tensor_; }
  const Tensor* operator->() const { return tensor_; }
  /// The tensor, or an undefined one for none.
  const Tensor& value_or_undefined() const;

 private:
  const Tensor* tensor_ = nullptr;
};

}  // namespace taper
