// Tensors with known elements, and their elements.
#pragma once
#include <vector>

#include "taper/core/factory.h"

namespace taper::test {

/// Returns a tensor with the elements 0, 1, 2, ... in row-major order.
inline Tensor arange_shaped(const Shape& shape, DType dtype = float32) {
  return arange(shape.numel(), {.dtype = int64}).reshape(shape).to(dtype);
}

/// Returns the elements of a tensor in row-major order. `T` must be the type of its elements.
template <class T> std::vector<T> to_vector(const Tensor& t) {
  const Tensor contiguous = t.detach().contiguous();
  const auto elements = contiguous.data<T>();
  return {elements.begin(), elements.end()};
}

}  // namespace taper::test
