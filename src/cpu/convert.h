// Vectorized conversions between dtypes.
#pragma once
#include <cstddef>
#include <cstdint>

#include "taper/core/dtype.h"

namespace taper::cpu {

/// Converts n contiguous elements at `from` and stores them at `to`, as element_cast does.
using ConvertRun = void (*)(std::byte* to, const std::byte* from, std::int64_t n);

/// Returns the conversion between two different dtypes; null for rare pairs, which have none.
ConvertRun find_conversion(DType to, DType from);

}  // namespace taper::cpu
