// The passes over contiguous elements behind total_norm and scale_.
#pragma once
#include <cstdint>

namespace taper::optimizer {

/// The sum of x^2, in parts of T.
double sum_of_squares(const float* x, std::int64_t n);
double sum_of_squares(const double* x, std::int64_t n);

/// x *= factor.
void scale(float* x, std::int64_t n, float factor);
void scale(double* x, std::int64_t n, double factor);

}  // namespace taper::optimizer
