// Running moments in double, merged block by block.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace taper::cpu {

/// Merges a block of `count` values, given by its mean and sum of squared deviations, into the
/// moments of `count_before` values.
inline void merge_moments(double count_before, double& mean, double& squares, double count,
                          double block_mean, double block_squares) {
  const double delta = block_mean - mean, weight = count / (count_before + count);
  mean += delta * weight;
  squares += block_squares + delta * delta * count_before * weight;
}

/// Returns true if the sum of `count` squares that were added as floats may have left their range:
/// if it overflowed, or if squares underflowed that matter in it.
inline bool has_left_float_range(double squares, double count) {
  return !std::isfinite(squares) ||
         (squares != 0 && squares < count * static_cast<double>(std::numeric_limits<float>::min()));
}

/// Computes the moments of `count` floats in double. `for_each(f)` calls f with each value.
template <class F> void double_moments(double count, F&& for_each, double& mean, double& squares) {
  mean = squares = 0;
  for_each([&](float value) { mean += static_cast<double>(value); });
  mean /= count;
  for_each([&](float value) {
    const double deviation = static_cast<double>(value) - mean;
    squares += deviation * deviation;
  });
}

}  // namespace taper::cpu
