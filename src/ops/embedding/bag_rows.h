// Sums of selected rows of a float32 matrix.
#pragma once
#include <cstdint>

namespace taper::embedding {

/// Rows of a matrix and optional factors.
struct SelectedRows {
  const float* matrix;
  std::int64_t columns;
  const std::int64_t* rows;
  const float* factors;  ///< one per row, or null
  std::int64_t count;
};

/// Computes the sum of the rows, each multiplied by its factor, except for those equal to
/// `padding`. If `mean` is true, divides it by the number of the rows that were added.
void sum_rows(const SelectedRows& selected, std::int64_t padding, bool mean, float* out);

}  // namespace taper::embedding
