// Element-wise comparison of two tensors of the same shape.
#pragma once
#include <cstdint>

#include "taper/core/tensor.h"

namespace taper {

/// Elements are equal if |a - b| <= atol + rtol * |b|, or if both are NaN.
struct Tolerance {
  double rtol = 0, atol = 0;
};

struct ElementDifference {
  std::int64_t elements = 0, num_different = 0;
  /// Maximum of |a - b| over the elements that are not equal; inf if one of them is NaN in exactly
  /// one tensor.
  double max_abs_diff = 0;
  Shape index{};                 ///< index of the element with the largest difference
  double first = 0, second = 0;  ///< the elements of a and b at `index`
  double mean = 0;       ///< sum of the finite values of |a - b| over the number of elements
  bool compared = true;  ///< false if the elements overlap too much to be read
};

/// Compares two tensors of the same shape, of any dtypes and strides, in a bounded amount of
/// memory. Two tensors of integers or bools are compared as int64, others as float64. Tensors
/// without elements in host memory (meta, uninitialized, on another device) are reported as equal.
ElementDifference element_difference(const Tensor& a, const Tensor& b, const Tolerance& tolerance);

}  // namespace taper
