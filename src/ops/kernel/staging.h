// Copies of strided rows of any dtype to and from contiguous blocks of the type of a computation.
#pragma once
#include <cstddef>
#include <cstdint>

#include "taper/core/dtype.h"

namespace taper::kernel {

/// `rows` rows of `row_size` elements each. Strides are in elements.
struct StridedBlock {
  std::int64_t rows = 1, row_size = 1, row_stride = 0, stride = 1;
};

/// Converts the elements of `dtype` at `from` to the dtype `block` (f32, f64 or i64) and stores
/// them contiguously at `to`.
void load_block(void* to, DType block, const std::byte* from, DType dtype, const StridedBlock& r);
/// Converts contiguous elements of the dtype `block` (f32, f64, i64 or bool) at `from` and stores
/// them as the elements of `dtype` at `to`.
void store_block(std::byte* to, DType dtype, const void* from, DType block, const StridedBlock& r);
/// Rounds or wraps the n elements of a block to values of `dtype`.
void round_block(void* values, DType block, DType dtype, std::int64_t n);
/// Copies the first element of a block to all n elements.
void fill_with_first(void* values, DType block, std::int64_t n);

}  // namespace taper::kernel
