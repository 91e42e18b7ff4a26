// Running moments in double, merged block by block.
#pragma once
#include <cstdint>

namespace taper::cpu {

/// Merges a block of `count` values, given by its mean and sum of squared deviations, into the
/// moments of `count_before` values.
inline void merge_moments(double count_before, double& mean, double& squares, double count,
                          double block_mean, double block_squares) {
  const double delta = block_mean - mean, weight = count / (count_before + count);
  mean += delta * weight;
  squares += block_squares + delta * delta * count_before * weight;
}

}  // namespace taper::cpu
