// When an actual tensor or number is the expected one.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace taper::oracle {

/// |actual - expected| <= atol + rtol * |expected|; both zero ask for the same bits.
struct Tolerance {
  double rtol = 0, atol = 0;
};

bool close(double actual, double expected, Tolerance tolerance);

/// What is different, in words; empty if nothing is. Shape and dtype must be equal; integers and
/// bools too.
std::string difference(const Tensor& actual, const Tensor& expected, Tolerance tolerance);

/// All elements are zero.
bool is_zero(const Tensor& t);

/// The elements' bytes in row-major order.
std::string bytes_of(const Tensor& t);

}  // namespace taper::oracle
