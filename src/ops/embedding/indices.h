// Reading of index tensors by the kernels of embeddings.
#pragma once
#include <vector>

#include "ops/kernel/reference.h"

namespace taper::kernel {

/// Returns the elements of an index tensor in row-major order. Throws IndexError unless each is a
/// row of a matrix with `rows` rows.
inline std::vector<std::int64_t> checked_rows(const View& indices, std::int64_t rows,
                                              std::string_view op) {
  std::vector<std::int64_t> all;
  all.reserve(static_cast<std::size_t>(indices.numel));
  walk<1>(*indices.shape, {&indices}, [&](const std::array<std::int64_t, 1>& at) {
    const auto i = load<std::int64_t>(indices.data + at[0], indices.dtype);
    if (i < 0 || i >= rows) [[unlikely]]
      fail<IndexError>("{}: index out of range: got {}, expected an index in [0, {})", op, i, rows);
    all.push_back(i);
  });
  return all;
}

/// Returns the number of occurrences of each row.
inline std::vector<std::int64_t> count_rows(const std::vector<std::int64_t>& indices,
                                            std::int64_t rows) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(rows), 0);
  for (const std::int64_t i : indices) ++counts[static_cast<std::size_t>(i)];
  return counts;
}

}  // namespace taper::kernel
