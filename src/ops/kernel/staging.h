// Moving strided rows of any dtype into and out of contiguous blocks of a computation's type.
#pragma once
#include <cstddef>
#include <cstdint>

#include "taper/core/dtype.h"

namespace taper::kernel {

/// `rows` rows of `row` elements, distances in elements.
struct Rows {
  std::int64_t rows = 1, row = 1, row_stride = 0, stride = 1;
};

/// Fills a block of `block` (f32, f64 or i64) from elements of `dtype`.
void load_rows(void* to, DType block, const std::byte* from, DType dtype, const Rows& r);
/// Writes a block of `block` (also bool) to elements of `dtype`.
void store_rows(std::byte* to, DType dtype, const void* from, DType block, const Rows& r);
/// Makes n elements of a block what they would be in `dtype`: wrapped, or rounded.
void narrow(void* values, DType block, DType dtype, std::int64_t n);
/// n copies of the first element.
void repeat(void* values, DType block, std::int64_t n);

}  // namespace taper::kernel
