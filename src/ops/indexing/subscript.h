// Parser of subscripts x[{...}].
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::indexing {

/// Elements of `view` selected by index tensors: dimension dims[k] is indexed by part k of the
/// stack `index` [k, ...]. If `dims` is empty, all elements of `view` are selected.
struct AdvancedIndex {
  Tensor view;
  Shape dims;
  Tensor index;
  /// The index tensor if there is exactly one, and the first dimension of `view` to which it
  /// applies.
  Tensor single;
  std::size_t single_dim = 0;
};

/// Applies integers, slices and new axes as views of `x` and stacks the index tensors. Throws
/// IndexError if an entry does not match `x`, ValueError if an index tensor is undefined.
AdvancedIndex parse_index(const Tensor& x, std::span<const Index> entries);
/// Returns the selected elements: a view if `dims` is empty, otherwise a copy.
Tensor read(const AdvancedIndex& index);
/// Writes `value`, broadcast and converted, to the selected elements. Leading dimensions of size 1
/// of `value` are ignored.
void write(const AdvancedIndex& index, const Tensor& value);
void write(const AdvancedIndex& index, const Scalar& value);

/// Returns `value` without the leading dimensions of size 1 that exceed `rank`.
Tensor without_leading_ones(const Tensor& value, std::size_t rank);

}  // namespace taper::indexing

namespace taper {
/// Index of the expression that created an IndexProxy.
struct IndexProxy::Source {
  indexing::AdvancedIndex index;
};
}  // namespace taper
