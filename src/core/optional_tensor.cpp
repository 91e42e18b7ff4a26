#include "taper/core/optional_tensor.h"

#include "taper/core/tensor.h"

namespace taper {

OptionalTensorRef::OptionalTensorRef(const Tensor& tensor) noexcept
    : tensor_(tensor.defined() ? &tensor : nullptr) {}

const Tensor& OptionalTensorRef::value_or_undefined() const {
  // Undefined, so that its destruction at the end of the program does nothing.
  static const Tensor undefined;
  return tensor_ ? *tensor_ : undefined;
}

}  // namespace taper
