#include "core/strided.h"

#include <algorithm>
#include <limits>

namespace taper {

std::optional<std::int64_t> storage_extent(const Shape& sizes, const Shape& strides,
                                           std::int64_t offset) {
  if (sizes.size() != strides.size() || offset < 0) return {};
  std::int64_t last = offset, count = 1;
  bool empty = false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || strides[d] < 0) return {};
    empty |= sizes[d] == 0;
    std::int64_t max_offset = 0;
    if (__builtin_mul_overflow(count, std::max<std::int64_t>(sizes[d], 1), &count) ||
        __builtin_mul_overflow(std::max<std::int64_t>(sizes[d] - 1, 0), strides[d], &max_offset) ||
        __builtin_add_overflow(last, max_offset, &last))
      return {};
  }
  if (last == std::numeric_limits<std::int64_t>::max()) return {};
  return empty ? offset : last + 1;
}

}  // namespace taper
