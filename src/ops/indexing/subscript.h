// What stands between the brackets of x[{...}], taken apart.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "taper/core/tensor.h"

namespace taper::indexing {

/// The places of `view` that a list of index tensors names: dimension dims[k] is indexed by the
/// tensor index[k] of the stack `index` [k, ...]. No dims: all of the view.
struct Places {
  Tensor view;
  Shape dims;
  Tensor index;
  /// The only tensor among the entries, and the first dimension of `view` that it stands for.
  Tensor single;
  std::size_t single_dim = 0;
};

/// Takes integers, slices and new axes as views of `x`, and stacks what tensors there are. Throws
/// IndexError.
Places places_of(const Tensor& x, std::span<const Index> entries);
/// The elements there: the view itself, or a copy.
Tensor read(const Places& places);
/// Writes `value`, broadcast and converted, without regard to its leading sizes of 1.
void write(const Places& places, const Tensor& value);
void write(const Places& places, const Scalar& value);

/// `value` without leading sizes of 1 that `shape` has no room for.
Tensor without_leading_ones(const Tensor& value, std::size_t rank);

}  // namespace taper::indexing

namespace taper {
struct Indexed::Source {
  indexing::Places places;
};
}  // namespace taper
