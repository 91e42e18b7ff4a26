// shared_tensors: tensors of a dict that share memory.
#pragma once
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// Group of tensors that share memory.
struct SharedTensorGroup {
  std::vector<std::string> names;  ///< sorted
  std::vector<std::string> whole;  ///< names of the tensors that cover their entire storage
};

/// Returns the groups of two or more tensors of a dict whose elements overlap, in the order of
/// their first members. Empty tensors do not belong to a group; entries that are not tensors are
/// ignored. PyTorch: safetensors.torch._find_shared_tensors.
[[nodiscard]] std::vector<SharedTensorGroup> shared_tensors(const Value& dict);

}  // namespace taper
