// Sums of exponentials of rows, for cross entropy. T is float or double.
#pragma once
#include <cstdint>
#include <limits>

namespace taper::cpu {

/// Sum of e^(x - max) over the elements seen so far. A sum that is relative to the maximum
/// preserves the digits of its logarithm if the maximum is large.
template <class T> struct ExpSum {
  T max = -std::numeric_limits<T>::infinity();
  T sum = 0;
};

/// Adds the elements x[0, size) to a sum.
template <class T> void add_exponentials(std::int64_t size, const T* x, ExpSum<T>& s);

/// Computes the maximum of each row of x (rows, size) and the logarithm of its sum relative to the
/// maximum. A row that contains NaN, or whose maximum is infinite, results in NaN.
template <class T>
void log_exp_sums(std::int64_t rows, std::int64_t size, const T* x, T* max, T* log_sum);

/// Computes out = scale * e^((x - max) - log_sum) for the rows of x (rows, size), where max,
/// log_sum and scale have an element per row.
template <class T> void scaled_softmax(std::int64_t rows, std::int64_t size, const T* x,
                                       const T* max, const T* log_sum, const T* scale, T* out);

}  // namespace taper::cpu
