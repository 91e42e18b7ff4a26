#include "taper/core/optional_tensor.h"

#include "core/never_destroyed.h"
#include "taper/core/tensor.h"

namespace taper {

OptionalTensorRef::OptionalTensorRef(const Tensor& tensor) noexcept
    : tensor_(tensor.defined() ? &tensor : nullptr) {}

const Tensor& OptionalTensorRef::value_or_undefined() const {
  static const NeverDestroyed<Tensor> undefined;
  return tensor_ ? *tensor_ : *undefined;
}

}  // namespace taper
