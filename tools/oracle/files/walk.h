// Going through all that a value holds, however it is nested and shared.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/value.h"

namespace taper::oracle {

struct Walked {
  std::uint64_t storage_bytes = 0;  ///< of distinct storages
  std::string summary;              ///< counts, and an outline of the first parts
  std::string wrong;                ///< a tensor that reaches outside of its storage; else empty
};

/// Visits every distinct part once, reads every byte of every storage, and prints a summary: no
/// recursion, and time and memory as the value itself has them.
Walked walk(const Value& root);

}  // namespace taper::oracle
