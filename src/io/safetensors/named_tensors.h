// The tensors that a safetensors file is to hold.
#pragma once
#include <string_view>
#include <vector>

#include "io/write/serialized_file.h"
#include "taper/core/value.h"

namespace taper::io {

struct NamedTensor {
  std::string_view name;   ///< of the dict's
  std::string_view dtype;  ///< "F32"
  int rank;                ///< the place of the dtype: tensors of the highest come first
  Shape shape;
  Section data;  ///< its elements, in the memory of the CPU
};

/// The tensors of a dict in its order. Throws ValueError, TypeError and RuntimeError, worded as
/// safetensors.torch words them.
std::vector<NamedTensor> named_tensors(const Value& value, SharedTensors shared);

}  // namespace taper::io
