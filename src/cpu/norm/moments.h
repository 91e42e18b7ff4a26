// Running moments in double, merged block by block.
#pragma once
#include <cstdint>

namespace taper::cpu {

/// Merges a block of `count` values, given by its mean and sum of squared deviations, into the
/// moments of `before` values.
inline void merge_moments(double before, double& mean, double& squares, double count,
                          double block_mean, double block_squares) {
  const double delta = block_mean - mean, share = count / (before + count);
  mean += delta * share;
  squares += block_squares + delta * delta * before * share;
}

}  // namespace taper::cpu
