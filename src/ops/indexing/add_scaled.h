// Sums of rows of floating-point numbers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/dtype_table.h"
#include "cpu/convert.h"

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
  const auto to_float = cpu::find_conversion(DType::f32, dtype_of<T>),
             from_float = cpu::find_conversion(dtype_of<T>, DType::f32);
  constexpr std::int64_t kBlock = 512;
  alignas(64) float a[kBlock], b[kBlock];
  for (std::int64_t j = 0; j < n; j += kBlock) {
    const std::int64_t size = std::min(kBlock, n - j);
    auto* const target = reinterpret_cast<std::byte*>(to + j);
    to_float(reinterpret_cast<std::byte*>(a), target, size);
    to_float(reinterpret_cast<std::byte*>(b), reinterpret_cast<const std::byte*>(from + j), size);
    add_scaled<float>(a, b, size, scale);
    from_float(target, reinterpret_cast<const std::byte*>(a), size);
  }
}

}  // namespace taper::indexing
