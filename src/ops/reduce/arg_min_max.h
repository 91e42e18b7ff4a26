// Positions of maxima and minima in row-major memory.
#pragma once
#include <cstdint>

namespace taper::reduce {

/// Row-major memory as (outer, n, inner), reduced over n.
struct ArgShape {
  std::int64_t outer = 1, n = 1, inner = 1;
};

/// Computes the maximum (largest) or minimum of each slice, and the position of its first
/// occurrence. NaN is the extremum of a slice that contains it. `values` may be null. T is float,
/// double or std::int64_t.
template <class T>
void arg_min_max(const ArgShape& shape, bool largest, const T* x, T* values, std::int64_t* indices);

}  // namespace taper::reduce
