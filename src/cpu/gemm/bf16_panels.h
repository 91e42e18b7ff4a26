// Packed factors of products of bf16.
#pragma once
#include <cstdint>

#include "taper/core/dtype.h"

namespace taper::cpu {

using Bf16Pair = std::uint32_t;  ///< elements 2p (low half) and 2p + 1 along K

/// A factor in panels of `width` rows of A or columns of B: for each panel, all pairs along K, and
/// for each of these a pair per row or column. Missing elements are zero.
struct Bf16Panels {
  std::int64_t lines = 0, k = 0, width = 1;  ///< `lines` is the number of rows of A or columns of B

  std::int64_t count() const { return (lines + width - 1) / width; }
  std::int64_t pairs() const { return (k + 1) / 2; }
  /// Returns the size of the packed form.
  std::int64_t size() const { return count() * pairs() * width; }
  std::int64_t offset(std::int64_t panel, std::int64_t pair) const {
    return (panel * pairs() + pair) * width;
  }
};

#if defined(__x86_64__)
/// Packs the factor whose element (i, k) is `from[i * outer + k * inner]`. `width` must be a
/// multiple of 8. The processor must have AVX2.
void pack_bf16(const BFloat16* from, std::int64_t outer, std::int64_t inner,
               const Bf16Panels& panels, Bf16Pair* to);
#endif

}  // namespace taper::cpu
