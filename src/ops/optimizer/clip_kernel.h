// Kernels of total_norm and scale_ over contiguous elements.
#pragma once
#include <cstdint>

namespace taper::optimizer {

/// Returns the sum of x^2, with partial sums in the element type.
double sum_of_squares(const float* x, std::int64_t n);
double sum_of_squares(const double* x, std::int64_t n);

/// Computes x *= factor.
void scale(float* x, std::int64_t n, float factor);
void scale(double* x, std::int64_t n, double factor);

}  // namespace taper::optimizer
