// How the convolution kernels divide their work.
#pragma once
#include <algorithm>
#include <cstdint>

namespace taper::cpu {

/// Minimum number of multiply-adds for parallel execution.
constexpr std::int64_t kMinParallelWork = 1 << 18;

/// Returns the minimum number of `units` of equal work, `multiply_adds` in total, for parallel
/// execution.
inline std::int64_t conv_grain(std::int64_t multiply_adds, std::int64_t units) {
  return std::max<std::int64_t>(
      1, kMinParallelWork * units / std::max<std::int64_t>(multiply_adds, 1));
}

}  // namespace taper::cpu
