// ForeignTensor: tensor of a file whose dtype is not supported.
#pragma once
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// Tensor of a file with an unsupported dtype, such as complex64 or float8_e4m3fn. It can be
/// inspected, stored and written, but not used in operations.
struct ForeignTensor {
  std::string dtype;  ///< name in PyTorch: "float8_e4m3fn"
  Shape shape, strides;
  std::int64_t offset = 0;     ///< offset in the storage, in elements, as are the strides
  std::int64_t item_bits = 0;  ///< size of an element in bits; 0 if the dtype is unknown
  bool requires_grad = false;
  Tensor bytes{};  ///< entire storage, u8 `(n)`
};

/// Returns the foreign tensor that an opaque value of `load` represents, or nullopt for other
/// values. The value is the Python call `torch._utils._rebuild_tensor_v3(storage, offset, size,
/// stride, requires_grad, OrderedDict(), dtype)`.
[[nodiscard]] std::optional<ForeignTensor> foreign_tensor(const Value& value);
/// Returns the opaque value that represents a foreign tensor.
Value to_value(const ForeignTensor& tensor);

}  // namespace taper
