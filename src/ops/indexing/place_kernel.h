// What the kernels have in common that read or write the places which index tensors name.
#pragma once
#include <string_view>

#include "core/tensor_impl.h"

namespace taper::indexing {

/// Where the common shape of indices of `dims` stands in the result: their own place if they are
/// neighbours, else in front.
std::size_t place_of_indices(const Shape& dims);
/// The shape of what `index` [k, ...] picks from `whole` along `dims`.
Shape picked_shape(const Shape& whole, const Shape& dims, const Shape& index);

/// Places in `whole`: those that `index` [k, ...] names along `dims`.
struct PlacesIn {
  const View& whole;
  const Shape& dims;
  const View& index;
  bool negative;  ///< indices may count from the back
  std::string_view op;
};

/// part = whole[places].
void read_reference(const PlacesIn& from, const View& part);
void read_fast(const PlacesIn& from, const View& part);
/// whole[places] = values, broadcast, or += with `accumulate`; the rest of `whole` is that of
/// `before`, which may be the same memory. Nothing is written if an index is out of range.
void write_reference(const PlacesIn& to, const View& before, const View& values, bool accumulate);
/// False if it cannot add this dtype.
bool write_fast(const PlacesIn& to, const View& before, const View& values, bool accumulate);

}  // namespace taper::indexing
