// Gather and scatter of operands in row-major order.
#pragma once
#include <algorithm>
#include <optional>

#include "cpu/threads.h"
#include "ops/kernel/index.h"

namespace taper::indexing {

/// Sizes of operands in row-major order: the index is (outer, count, inner), the operand that it
/// refers to (outer, size, inner).
struct IndexedLayout {
  std::int64_t outer = 1, count = 1, inner = 1, size = 1;
  std::size_t dim = 0;
};

/// Returns the layout if all operands are in row-major order, and `indexed` has the shape of
/// `index` apart from dimension d.
inline std::optional<IndexedLayout> indexed_layout(const View& index, const View& indexed,
                                                   std::size_t d) {
  const Shape &i = *index.shape, &x = *indexed.shape;
  if (i.size() != x.size() || i.empty() || !is_contiguous(index) || !is_contiguous(indexed))
    return {};
  IndexedLayout layout{.count = i[d], .size = x[d], .dim = d};
  for (std::size_t e = 0; e < i.size(); ++e) {
    if (e == d) continue;
    if (i[e] != x[e]) return {};
    (e < d ? layout.outer : layout.inner) *= i[e];
  }
  return layout;
}

/// Throws IndexError if one of n indices is not within [0, layout.size).
template <class I> void check_indices(const I* index, std::int64_t n, const IndexedLayout& layout,
                                      std::string_view op) {
  // Unsigned arithmetic wraps around. Only the sign of an index and of its distance from the last
  // one matter.
  const auto last = static_cast<std::uint64_t>(layout.size) - 1;
  cpu::parallel_for(0, n, 1 << 15, [&](std::int64_t b, std::int64_t e) {
    std::uint64_t signs = 0;
    for (std::int64_t i = b; i < e; ++i) {
      const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(index[i]));
      signs |= at | (last - at);
    }
    const bool any_outside = static_cast<std::int64_t>(signs) < 0;
    for (; any_outside && b < e; ++b)
      kernel::checked_index(static_cast<std::int64_t>(index[b]), layout.size, layout.dim, false,
                            op);
  });
}

/// Calls f(i, index i) for the indices [begin, end) of a dimension of `size` elements. Then throws
/// IndexError if one of them is out of range, in whose place f received 0. Negative indices count
/// from the end if `negative` is true.
template <bool negative, class I, class F>
void for_each_checked_index(const I* index, std::int64_t begin, std::int64_t end, std::int64_t size,
                            std::size_t dim, std::string_view op, F&& f) {
  bool any_outside = size == 0;
  // Without a branch or a call in the loop, which would keep its values out of registers.
  for (std::int64_t i = begin; i < end && size > 0; ++i) {
    auto at = static_cast<std::int64_t>(index[i]);
    if constexpr (negative) at += at < 0 ? size : 0;
    const bool is_outside = static_cast<std::uint64_t>(at) >= static_cast<std::uint64_t>(size);
    any_outside |= is_outside;
    f(i, is_outside ? 0 : at);
  }
  for (std::int64_t i = begin; any_outside && i < end; ++i)
    kernel::checked_index(static_cast<std::int64_t>(index[i]), size, dim, negative, op);
}

/// Divides the writes to an operand (outer, size, inner), of which each outer position is written
/// to `count` times, among threads: calls f(outer position, first column, end) in parallel.
template <class F>
void for_each_column_block(std::int64_t outer, std::int64_t count, std::int64_t inner, F&& f) {
  const std::int64_t threads = cpu::available_threads();
  const std::int64_t blocks =
      outer >= threads ? 1 : std::clamp<std::int64_t>(inner / 16, 1, threads);
  const std::int64_t width = (inner + blocks - 1) / blocks;
  cpu::parallel_for(0, outer * blocks, 1 + 16384 / (1 + count * width),
                    [&](std::int64_t b, std::int64_t e) {
                      for (std::int64_t block = b; block < e; ++block) {
                        const std::int64_t first = block % blocks * width;
                        f(block / blocks, first, std::min(first + width, inner));
                      }
                    });
}

/// Calls f(i, p) for every element i of the index and the element p of the indexed operand that it
/// refers to. Indices must be within range. Elements that share an outer and inner position are
/// visited by one thread in the order of the index, so that f may write to p.
template <class I, class F>
void for_each_indexed_in_order(const IndexedLayout& l, const I* index, F&& f) {
  for_each_column_block(
      l.outer, l.count, l.inner, [&](std::int64_t plane, std::int64_t from, std::int64_t to) {
        const std::int64_t start = plane * l.count * l.inner, base = plane * l.size * l.inner;
        if (l.inner == 1) {
          for (std::int64_t i = start; i < start + l.count; ++i)
            f(i, base + static_cast<std::int64_t>(index[i]));
          return;
        }
        for (std::int64_t row = start; row < start + l.count * l.inner; row += l.inner)
          for (std::int64_t j = from; j < to; ++j)
            f(row + j, base + static_cast<std::int64_t>(index[row + j]) * l.inner + j);
      });
}

/// Calls f(i, p) as for_each_indexed_in_order does, in any order.
template <class I, class F> void for_each_indexed(const IndexedLayout& l, const I* index, F&& f) {
  if (l.inner != 1 || l.outer >= cpu::available_threads())
    return for_each_indexed_in_order(l, index, f);
  for (std::int64_t plane = 0; plane < l.outer; ++plane)
    cpu::parallel_for(plane * l.count, (plane + 1) * l.count, 1 << 14,
                      [&](std::int64_t b, std::int64_t e) {
                        for (std::int64_t i = b; i < e; ++i)
                          f(i, plane * l.size + static_cast<std::int64_t>(index[i]));
                      });
}

/// Calls f(T{}) with the unsigned integer type of the element's size.
template <class F> void visit_element_size(DType dtype, F&& f) {
  switch (size_of(dtype)) {
    case 8: return f(std::uint64_t{});
    case 4: return f(std::uint32_t{});
    case 2: return f(std::uint16_t{});
    default: return f(std::uint8_t{});
  }
}

/// Calls f(pointer to the indices).
template <class F> void visit_indices(const View& index, F&& f) {
  if (index.dtype == DType::i32)
    f(reinterpret_cast<const std::int32_t*>(index.data));
  else
    f(reinterpret_cast<const std::int64_t*>(index.data));
}

}  // namespace taper::indexing
