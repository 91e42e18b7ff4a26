// Traversal of a value with all nested and shared parts.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/value.h"

namespace taper::oracle {

struct WalkResult {
  std::uint64_t storage_bytes = 0;  ///< total size of distinct storages
  std::string summary;              ///< counts, and an outline of the first parts
  std::string wrong;                ///< a tensor that exceeds its storage; otherwise empty
};

/// Visits every distinct part once, reads every byte of every storage, and returns a summary. Does
/// not recurse; time and memory are proportional to the size of the value.
WalkResult walk(const Value& root);

}  // namespace taper::oracle
