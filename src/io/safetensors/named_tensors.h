// Conversion of a dict of tensors to the entries of a safetensors file.
#pragma once
#include <string_view>
#include <vector>

#include "io/write/serialized_file.h"
#include "taper/core/value.h"

namespace taper::io {

struct NamedTensor {
  std::string_view name;   ///< refers to the key in the dict
  std::string_view dtype;  ///< name of the dtype in the file: "F32"
  int rank;                ///< rank of the dtype; tensors are written in descending order
  Shape shape;
  Section data;  ///< the elements, in CPU memory
};

/// Returns the tensors of a dict in its order. Throws ValueError, TypeError and RuntimeError with
/// the messages of safetensors.torch.
std::vector<NamedTensor> named_tensors(const Value& value, SharedTensors shared);

}  // namespace taper::io
