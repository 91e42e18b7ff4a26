// Tables of statistics of tensors.
#pragma once
#include <span>
#include <string>

#include "cases/case.h"

namespace taper::oracle {

/// Returns statistics of tensors `(rows, 11)` in float64, one row per tensor: sum, sum of absolute
/// values, 2-norm, the first four and the last four elements, where missing elements are 0.
Tensor statistics(std::span<const Tensor> tensors);
/// Returns the statistics of the gradients of parameters; an undefined gradient is zero.
Tensor gradient_statistics(std::span<const Tensor> parameters);
/// Compares statistics `(rows, 11)` with the expected ones. `tolerance` `(rows, 4)` contains the
/// absolute tolerance of the sum, of the sum of absolute values, of the norm and of elements.
void expect_statistics(Case& c, const std::string& what, const Tensor& actual,
                       const Tensor& expected, const Tensor& tolerance);

}  // namespace taper::oracle
