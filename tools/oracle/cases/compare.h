// Comparison of actual and expected tensors and numbers.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace taper::oracle {

/// |actual - expected| <= atol + rtol * |expected|. If both are zero, the bits must be equal.
struct Tolerance {
  double rtol = 0, atol = 0;
};

bool close(double actual, double expected, Tolerance tolerance);

/// Describes the difference; empty if there is none. Shape and dtype must be equal, as must
/// integers and bools.
std::string difference(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

/// Returns true if all elements are zero.
bool is_zero(const Tensor& t);

/// Returns the bytes of the elements in row-major order.
std::string bytes_of(const Tensor& t);

}  // namespace taper::oracle
