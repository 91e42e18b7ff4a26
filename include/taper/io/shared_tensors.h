// Which tensors of a dict share memory.
#pragma once
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// Tensors that look at the same elements.
struct SharedTensorGroup {
  std::vector<std::string> names;  ///< sorted
  std::vector<std::string> whole;  ///< of those, the ones that cover their whole storage
};

/// The groups of two and more tensors in a dict whose elements overlap, in the order of their first
/// members. Tensors without elements share nothing; entries that are no tensors are passed over.
/// PyTorch: safetensors.torch._find_shared_tensors.
[[nodiscard]] std::vector<SharedTensorGroup> shared_tensors(const Value& dict);

}  // namespace taper
