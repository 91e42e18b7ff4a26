// Copies of elements of 1, 2, 4 or 8 bytes between rows with strides.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::kernel {

/// Copies `n` elements of `size` bytes. Steps are in elements; a step of 0 at `from` repeats its
/// element.
void copy_row(std::size_t size, std::byte* to, std::int64_t to_step, const std::byte* from,
              std::int64_t from_step, std::int64_t n);

/// Copies a matrix to its transpose: element (i, j) of `to`, in rows of `to_step` elements, is
/// element (j, i) of `from`, in rows of `from_step` elements.
void transpose(std::size_t size, std::int64_t rows, std::int64_t columns, std::byte* to,
               std::int64_t to_step, const std::byte* from, std::int64_t from_step);

}  // namespace taper::kernel
