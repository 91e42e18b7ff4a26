// Loops of factories that compute float32 elements by a formula.
#pragma once
#include <cstdint>
#include <span>

namespace taper::factory {

/// Writes float(start + step * i), computed in double, to to[i] for i in [begin, end).
void arange_f32(float* to, std::int64_t begin, std::int64_t end, double start, double step);

/// Writes the numbers [begin, end) of `steps` evenly spaced numbers from `first` to `last`. Steps
/// are counted from the nearer end by fused multiply-adds. `steps` is less than 2^31.
void linspace_f32(float* to, std::int64_t begin, std::int64_t end, std::int64_t steps, float first,
                  float last, float step);

/// Writes the sums of (-1)^k a[k] cos(2 pi k i / last) to to[i] for i in [begin, end). Cosines are
/// computed in double and rounded to float; the terms are added in float, from the last one if
/// `from_last` is true.
void cosine_sums_f32(float* to, std::int64_t begin, std::int64_t end, double last,
                     std::span<const double> a, bool from_last);

}  // namespace taper::factory
