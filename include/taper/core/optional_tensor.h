// OptionalTensorRef: parameter type of optional tensors.
#pragma once
#include <concepts>
#include <optional>
#include <type_traits>

#include "taper/core/api.h"

namespace TAPER_API taper {
class Tensor;

/// Optional tensor argument: accepts a tensor, `{}` or `std::nullopt`, and a std::optional of a
/// tensor or parameter, such as the `bias` of a layer. An undefined tensor is absent. Stores a
/// reference, which is valid as long as the tensor. PyTorch: at::OptionalTensorRef.
class OptionalTensorRef {
 public:
  OptionalTensorRef() = default;
  OptionalTensorRef(std::nullopt_t) {}
  OptionalTensorRef(const Tensor& tensor) noexcept;
  template <class T>
  requires std::derived_from<T, Tensor> OptionalTensorRef(const std::optional<T>& tensor)
      : tensor_(tensor && tensor->defined() ? &*tensor : nullptr) {}

  bool has_value() const { return tensor_; }
  explicit operator bool() const { return tensor_; }
  const Tensor& operator*() const { return *tensor_; }
  const Tensor* operator->() const { return tensor_; }
  /// Returns the tensor; an undefined one if empty.
  const Tensor& value_or_undefined() const;

 private:
  const Tensor* tensor_ = nullptr;
};

}  // namespace taper
