// The strided reductions of the CPU: one driver for all layouts, a few folds.
#pragma once
#include <cstdint>

#include "core/tensor_impl.h"

namespace taper::reduce {

/// Which dimensions are reduced: bit d for dimension d.
using Mask = std::uint64_t;

enum class Fold : std::uint8_t {
  sum,          ///< sum of x
  sum_abs,      ///< sum of |x|
  sum_numbers,  ///< sum of x with NaN as 0
  count,        ///< how many differ from 0
  product,
  sum_off,      ///< sum of x - centre
  sum_squares,  ///< sum of (x - centre)^2
  sum_exp,      ///< sum of e^(x - centre)
  max,          ///< largest; NaN if there is one; -infinity if there is nothing
  min,
  max_abs  ///< largest |x|; 0 if there is nothing
};

/// Folds the elements of an f32 or f64 view over the dimensions of `mask`, one double for each
/// remaining index in row-major order of the logical dimensions. Sums run in blocks that are
/// brought together in double; the result does not depend on the number of threads. `centre`, one
/// for each result, may be null (0) and is only read by the folds that name it. False if the dtype
/// or rank is not for this driver.
bool fold(Fold what, const View& in, Mask mask, const double* centre, double* results);

}  // namespace taper::reduce
