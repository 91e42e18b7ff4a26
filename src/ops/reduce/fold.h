// Strided reductions on the CPU: one driver for all layouts.
#pragma once
#include <cstdint>

#include "core/view.h"

namespace taper::reduce {

/// Mask of reduced dimensions: bit d for dimension d.
using Mask = std::uint64_t;

enum class Fold : std::uint8_t {
  sum,          ///< sum of x
  sum_abs,      ///< sum of |x|
  sum_non_nan,  ///< sum of x with NaN as 0
  count,        ///< number of nonzero elements
  product,
  sum_centered,  ///< sum of x - center
  sum_squares,   ///< sum of (x - center)^2
  sum_exp,       ///< sum of e^(x - center)
  max,           ///< maximum; NaN if any element is NaN; -infinity for an empty input
  min,
  max_abs  ///< maximum of |x|; 0 for an empty input
};

/// Folds the elements of a floating-point view over the dimensions of `mask` into one double per
/// result, in row-major order of the logical dimensions. Sums are computed in blocks that are
/// combined in double and do not depend on the number of threads. Results of narrower types whose
/// blocks may have left the range of float are computed in double instead. `center` and `results`
/// are arrays with one element per result. `center` is read only by the folds that subtract a
/// center; if it is null, the centers are 0. Returns false if the dtype or rank is not supported.
bool fold(Fold kind, const View& in, Mask mask, const double* center, double* results);

/// As above for integers and bool, which are folded by `sum`, `count`, `max` or `min` in int64.
/// Sums wrap around. uint16, uint32 and uint64 are not supported.
bool fold(Fold kind, const View& in, Mask mask, std::int64_t* results);

}  // namespace taper::reduce
