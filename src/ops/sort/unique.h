#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "taper/core/dtype.h"

namespace taper::sorting {

/// Memory of the results of `unique_elements`. `inverse` and `counts` are null if not requested.
struct UniqueOutputs {
  void* values = nullptr;
  std::int64_t *inverse = nullptr, *counts = nullptr;
};

/// Computes the sorted distinct elements of n contiguous elements at `data`, 0 < n < 2^32. Each NaN
/// is distinct. Calls allocate(count) once, with the number of distinct elements, for the memory of
/// the results: `count` values, the position of each element among them if `needs_inverse` is true,
/// and `count` numbers of occurrences.
void unique_elements(const void* data, DType dtype, std::int64_t n, bool needs_inverse,
                     const std::function<UniqueOutputs(std::int64_t)>& allocate);

/// As unique_elements, for the first elements of the runs of equal consecutive elements, in their
/// order. Each NaN is a run.
void unique_consecutive_elements(const void* data, DType dtype, std::int64_t n,
                                 const std::function<UniqueOutputs(std::int64_t)>& allocate);

}  // namespace taper::sorting
