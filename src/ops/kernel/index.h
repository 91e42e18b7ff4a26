// Reference loops by multi-dimensional index, for kernels whose input and output indices differ.
#pragma once
#include <cstring>

#include "ops/kernel/reference.h"

namespace taper::kernel {

/// Calls f(index) for every index of `shape` in row-major order.
template <class F> void for_each_index(const Shape& shape, F&& f) {
  Shape index = Shape::filled(shape.size(), 0);
  for (std::int64_t d : shape)
    if (d == 0) return;
  for (;;) {
    f(static_cast<const Shape&>(index));
    std::size_t d = shape.size();
    while (d-- > 0) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

/// Returns the address of the element of `v` at `index`.
inline std::byte* element(const View& v, const Shape& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * (*v.strides)[d];
  return v.data + at * element_size(v);
}

/// Copies *to = *from, converting between dtypes.
inline void copy_element(std::byte* to, DType to_type, const std::byte* from, DType from_type) {
  if (to_type == from_type)
    std::memcpy(to, from, size_of(to_type));
  else
    convert(to, to_type, from, from_type);
}

/// Computes *to += *from * scale in the widest type of the destination's kind.
inline void add_element(std::byte* to, DType to_type, const std::byte* from, DType from_type,
                        const Scalar& scale = 1) {
  in_compute_type(to_type, [&]<class T>(T) {
    const T factor = std::is_same_v<T, double> ? static_cast<T>(scale.to_double())
                     : to_type == DType::bool_ ? static_cast<T>(scale.to_bool())
                                               : static_cast<T>(scale.to_int());
    store(to, to_type, plus(load<T>(to, to_type), times(factor, load<T>(from, from_type))));
  });
}

/// Returns an index of a dimension of `size` elements as a nonnegative number. Throws IndexError
/// naming `op` if it is out of range. Negative indices count from the end if `negative` is true.
inline std::int64_t checked_index(std::int64_t i, std::int64_t size, std::size_t dim, bool negative,
                                  std::string_view op) {
  const auto at = wrap_index(i, size);
  if (!at || (i < 0 && !negative)) [[unlikely]]
    fail<IndexError>("{}: index {} is out of bounds for dimension {} with size {}", op, i, dim,
                     size);
  return *at;
}

}  // namespace taper::kernel
