// Parts shared by losses of elements.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace taper::nn::functional {

/// Warns as PyTorch if the shapes of input and target differ.
void warn_size_mismatch(const Tensor& input, const Tensor& target);

/// Computes d^2 / 2 if |d| <= limit, otherwise limit * (|d| - limit / 2).
Tensor clipped_square(const Tensor& d, double limit);

/// Returns a - b, also if one of the tensors is bool, which the operator `-` rejects.
Tensor promoted_difference(const Tensor& a, const Tensor& b);

/// Returns true if both tensors have the same floating-point dtype.
bool have_one_float_dtype(const Tensor& a, const Tensor& b);

/// Throws ValueError unless `reduction` is "mean", "sum" or "none".
void check_reduction(const std::string& reduction);

/// Returns the mean of the loss elements, their sum, or the elements.
Tensor reduce_loss(const Tensor& terms, const std::string& reduction);

}  // namespace taper::nn::functional
