// Extent and contiguity of strided elements in memory.
#pragma once
#include <optional>

#include "taper/core/shape.h"

namespace taper {

/// Returns the number of elements that a storage needs for a view: one more than the position of
/// the last element, `offset + sum of (size - 1) * stride`, or `offset` for a view without
/// elements. Returns nullopt if the numbers of sizes and strides differ, if a number is negative,
/// or if the result or the product of the nonzero sizes exceeds 2^63 - 1.
std::optional<std::int64_t> storage_extent(const Shape& sizes, const Shape& strides,
                                           std::int64_t offset = 0);

/// As storage_extent without checks, for sizes and strides of an existing tensor with elements.
inline std::int64_t extent_of(const Shape& sizes, const Shape& strides) {
  const std::size_t rank = sizes.size();
  const std::int64_t *const size = sizes.data(), *const stride = strides.data();
  std::int64_t extent = 1;
  for (std::size_t d = 0; d < rank; ++d) extent += (size[d] - 1) * stride[d];
  return extent;
}

/// Returns true if the elements are in row-major order without gaps, or if there are no elements.
/// Sets `numel` to the number of elements, or to -1 if it exceeds 2^63 - 1.
inline bool is_contiguous(const Shape& sizes, const Shape& strides, std::int64_t& numel) {
  const std::int64_t *const size = sizes.data(), *const stride = strides.data();
  bool contiguous = true, overflow = false, zero = false;
  std::int64_t step = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    contiguous &= size[d] == 1 || stride[d] == step;
    zero |= size[d] == 0;
    overflow |= __builtin_mul_overflow(step, size[d], &step);
  }
  numel = zero ? 0 : overflow ? -1 : step;
  return contiguous || zero;
}
inline bool is_contiguous(const Shape& sizes, const Shape& strides) {
  std::int64_t numel = 0;
  return is_contiguous(sizes, strides, numel);
}

}  // namespace taper
