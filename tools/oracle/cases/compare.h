// Comparison of actual and expected tensors and numbers.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace taper::oracle {

/// Condition |actual - expected| <= atol + rtol * |expected|. If `rtol` and `atol` are zero,
/// `difference` compares bits. NaN matches NaN.
struct Tolerance {
  double rtol = 0, atol = 0;
};

bool close(double actual, double expected, Tolerance tolerance);

/// Returns a description of the difference; an empty string if `actual` matches. Shape and dtype
/// must be equal, as must integers and bools.
std::string difference(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

/// Returns true if all elements are zero.
bool is_zero(const Tensor& t);

/// Returns the bytes of the elements in row-major order.
std::string bytes_of(const Tensor& t);

}  // namespace taper::oracle
