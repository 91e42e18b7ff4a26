#include "taper/core/optional_tensor.h"

#include "core/check.h"
#include "core/never_destroyed.h"
#include "taper/core/tensor.h"

namespace taper {

OptionalTensorRef::OptionalTensorRef(const Tensor& tensor) : tensor_(&tensor) {
  if (!tensor.defined())
    fail<ValueError>(
        "optional argument: got an undefined tensor, expected a tensor or std::nullopt");
}

const Tensor& OptionalTensorRef::value_or_undefined() const {
  static const NeverDestroyed<Tensor> undefined;
  return tensor_ ? *tensor_ : *undefined;
}

}  // namespace taper
