// Partition of attention into blocks of queries and keys, and the operands of a block.
#pragma once
#include <algorithm>
#include <limits>

#include "cpu/attention/attention.h"
#include "cpu/attention/tiles.h"
#include "cpu/ceil_div.h"
#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"

namespace taper::cpu {

/// Panels of gemm_pack have a number of columns that divides this one on every instruction set, so
/// that a part of packed keys that starts at a multiple of it is also packed.
constexpr std::int64_t kPanelColumns = 64;

inline std::int64_t round_to_panels(std::int64_t columns) {
  return (columns + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}

/// Minimum number of multiply-adds of a task.
constexpr std::int64_t kMinTaskWork = 1 << 17;

/// Returns how many tasks of m * n * k multiply-adds a thread runs at least.
inline std::int64_t task_grain(std::int64_t m, std::int64_t n, std::int64_t k) {
  const double work = static_cast<double>(m) * static_cast<double>(n) *
                      static_cast<double>(std::max<std::int64_t>(k, 1));
  return 1 + static_cast<std::int64_t>(static_cast<double>(kMinTaskWork) / std::max(work, 1.0));
}

/// Arrays of T in one block of scratch memory. `add` reserves an array, `allocate` the block.
template <class T> class Arrays {
 public:
  /// Returns the position of an array of `rows * columns` elements.
  std::int64_t add(std::int64_t rows, std::int64_t columns = 1) {
    // Expanded tensors may have more elements than an address space.
    constexpr std::int64_t kMax = std::int64_t{1} << 56;
    const std::int64_t at = size_;
    std::int64_t count = 0;
    if (__builtin_mul_overflow(rows, columns, &count) || count > kMax) count = kMax;
    size_ = std::min(kMax, size_ + (count + 15) / 16 * 16);
    return at;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

 private:
  std::int64_t size_ = 0;
};

/// Returns the address of the matrix of head `head`, an index into `sizes` whose last dimension is
/// divided by `group`.
template <class T> T* matrix_of(const HeadMatrices<T>& m, std::span<const std::int64_t> sizes,
                                std::int64_t group, std::int64_t head, std::int64_t unit = 1) {
  std::int64_t at = 0;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const std::int64_t size = d + 1 == sizes.size() ? sizes[d] / group : sizes[d];
    at += head % size * m.steps[d];
    head /= size;
  }
  return m.data + at * unit;
}

/// Rows of a matrix that are contiguous along the columns.
template <class T> struct Rows {
  const T* data = nullptr;
  std::int64_t row = 0;
};

template <class T> void copy_rows(const T* from, std::int64_t row, std::int64_t col,
                                  std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t r = 0; r < rows; ++r, from += row, to += columns)
    if (col == 1)
      std::copy_n(from, columns, to);
    else
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[c * col];
}

/// Returns true if `m` can be read in place: its rows are adjacent, which avoids conflicts in the
/// caches.
template <class T> bool is_dense(const HeadMatrices<T>& m, std::int64_t columns) {
  return m.col == 1 && m.row == columns;
}

/// Returns the part of the mask of a head that belongs to a tile.
template <class T>
TileMask tile_mask(const Attention<T>& a, std::int64_t head, std::int64_t query, std::int64_t key) {
  if (!a.mask.data) return {};
  const std::int64_t unit = a.is_bool_mask ? 1 : sizeof(T);
  const std::byte* const data = matrix_of(a.mask, a.heads, 1, head, unit);
  return {data + (query * a.mask.row + key * a.mask.col) * unit, a.mask.row, a.mask.col,
          a.is_bool_mask};
}

/// Returns the number of heads of the query.
template <class T> std::int64_t count_heads(const Attention<T>& a) {
  std::int64_t count = 1;
  for (const std::int64_t size : a.heads) count *= size;
  return count;
}

}  // namespace taper::cpu
