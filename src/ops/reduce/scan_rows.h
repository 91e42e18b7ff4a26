// Scans of contiguous float32 elements, computed in double.
#pragma once
#include <cstdint>

namespace taper::reduce {

/// Writes carry + x[0] + ... + x[i] to y[i] for n elements, unless y is null. Returns the sum of
/// the elements, which does not depend on `carry`.
double cumsum_row(const float* x, float* y, std::int64_t n, double carry);
/// Writes x[0] ... x[i] to y[i] for n elements.
void cumprod_row(const float* x, float* y, std::int64_t n);
/// Writes log(exp(x[0]) + ... + exp(x[i])) to y[i] for n elements.
void logcumsumexp_row(const float* x, float* y, std::int64_t n);

/// Returns log(exp(a) + exp(b)).
double log_add_exp(double a, double b);

}  // namespace taper::reduce
