// Conversion of checkpoints to another dtype.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/dtype.h"
#include "taper/core/value.h"

namespace taper::cli {

struct Conversion {
  taper::Value value{};
  std::size_t converted = 0;    ///< number of converted tensors
  std::int64_t overflowed = 0;  ///< number of elements that became infinite
};

/// Returns a copy of the value whose floating-point tensors have dtype `type`. Tied tensors remain
/// tied. Large tensors are stored in an unnamed temporary file in `folder`.
Conversion converted(const taper::Value& value, taper::DType type, const std::string& folder);

}  // namespace taper::cli
