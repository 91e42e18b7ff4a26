// Ranges of elements in the buffers of collectives.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "taper/core/dtype.h"

namespace taper::dist_engines {

using Counts = std::vector<std::int64_t>;

/// Returns the sum of the first `i` counts.
inline std::int64_t offset_of(const Counts& counts, std::size_t i) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < i; ++k) sum += counts[k];
  return sum;
}
inline std::int64_t total_of(const Counts& counts) { return offset_of(counts, counts.size()); }

/// Divides `count` elements into `parts` that differ by one at most.
inline Counts divide_evenly(std::int64_t count, int parts) {
  Counts counts(static_cast<std::size_t>(parts), count / parts);
  for (std::int64_t i = 0; i < count % parts; ++i) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

inline std::size_t bytes_of(std::int64_t count, DType dtype) {
  return static_cast<std::size_t>(count) * size_of(dtype);
}
/// Returns the address of an element.
inline std::byte* element_at(void* buffer, std::int64_t index, DType dtype) {
  return static_cast<std::byte*>(buffer) + bytes_of(index, dtype);
}
inline const std::byte* element_at(const void* buffer, std::int64_t index, DType dtype) {
  return static_cast<const std::byte*>(buffer) + bytes_of(index, dtype);
}

}  // namespace taper::dist_engines
