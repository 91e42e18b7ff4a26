// Sums of rows of floating-point numbers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/dtype_table.h"
#include "ops/kernel/narrow_values.h"

namespace taper::indexing {

/// Adds `scale` times n adjacent elements to others.
template <class T> void add_scaled(T* to, const T* from, std::int64_t n, T scale) {
  for (std::int64_t j = 0; j < n; ++j) to[j] += scale * from[j];
}
/// As above, for 16-bit floats, which are added in f32.
template <class T>
requires is_narrow_float<T>
void add_scaled(T* to, const T* from, std::int64_t n, float scale) {
  constexpr std::int64_t kMinVectorized = 16;
  if (n < kMinVectorized) {
    for (std::int64_t j = 0; j < n; ++j)
      to[j] = T(static_cast<float>(to[j]) + scale * static_cast<float>(from[j]));
    return;
  }
  const kernel::Conversions convert(dtype_of<T>);
  constexpr std::int64_t kBlock = 512;
  alignas(64) float a[kBlock], b[kBlock];
  for (std::int64_t j = 0; j < n; j += kBlock) {
    const std::int64_t size = std::min(kBlock, n - j);
    convert.read(to + j, a, size);
    convert.read(from + j, b, size);
    add_scaled<float>(a, b, size, scale);
    convert.write(to + j, a, size);
  }
}

}  // namespace taper::indexing
