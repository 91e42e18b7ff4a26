// Tensors of dtypes that the library has not.
#pragma once
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// A tensor of a file whose dtype is not one of ours: complex, float8, unsigned. It can be looked
/// at, kept and written back, not computed with.
struct ForeignTensor {
  std::string dtype;  ///< PyTorch's name: "float8_e4m3fn"
  Shape shape, strides;
  std::int64_t offset = 0;     ///< in elements, as strides
  std::int64_t item_bits = 0;  ///< of an element; 0 if the dtype is not known at all
  bool requires_grad = false;
  Tensor bytes{};  ///< u8 (n), the whole storage
};

/// The foreign tensor that an opaque value of `load` stands for; none for any other value.
/// In the value it is the call that Python would make:
/// `torch._utils._rebuild_tensor_v3(storage, offset, size, stride, requires_grad, OrderedDict(),
/// dtype)`.
[[nodiscard]] std::optional<ForeignTensor> foreign_tensor(const Value& value);
/// The opaque value of one.
Value to_value(const ForeignTensor& tensor);

}  // namespace taper
