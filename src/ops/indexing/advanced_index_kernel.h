// Kernels shared by the ops that read or write elements selected by index tensors.
#pragma once
#include <string_view>

#include "core/tensor_impl.h"

namespace taper::indexing {

/// Returns the first dimension of the output that belongs to the common shape of the indices:
/// dims[0] if `dims` are adjacent, otherwise 0.
std::size_t position_of_indices(const Shape& dims);
/// Returns the shape of the selection from `base` by `index` [k, ...] along `dims`.
Shape selection_shape(const Shape& base, const Shape& dims, const Shape& index);

/// Elements of `base` that are selected by `index` [k, ...] along `dims`.
struct AdvancedIndexView {
  const View& base;
  const Shape& dims;
  const View& index;
  bool negative;  ///< true if negative indices count from the end, false if they are errors
  std::string_view op;
};

/// Copies the selected elements to `selection`. Throws IndexError if an index is out of range.
void read_reference(const AdvancedIndexView& from, const View& selection);
void read_fast(const AdvancedIndexView& from, const View& selection);
/// Writes `values`, broadcast, to the selected elements, or adds them with `accumulate`. All other
/// elements of `base` are copied from `before`, which may be the same memory. Throws IndexError,
/// without modifying `base`, if an index is out of range.
void write_reference(const AdvancedIndexView& to, const View& before, const View& values,
                     bool accumulate);
/// As write_reference. Returns false if the dtype is not supported.
bool write_fast(const AdvancedIndexView& to, const View& before, const View& values,
                bool accumulate);

}  // namespace taper::indexing
