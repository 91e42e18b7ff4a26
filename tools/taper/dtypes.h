// Checkpoints with other dtypes.
#pragma once
#include <cstdint>
#include <string>

#include "taper/core/dtype.h"
#include "taper/core/value.h"

namespace taper::cli {

struct Conversion {
  taper::Value value{};
  std::size_t converted = 0;    ///< tensors
  std::int64_t overflowed = 0;  ///< elements that are infinite now and were not
};

/// The value with its floating tensors in another dtype; those that were one tensor, or the same
/// view, stay one. What is large is kept in a file without a name in `folder`.
Conversion converted(const taper::Value& value, taper::DType type, const std::string& folder);

}  // namespace taper::cli
