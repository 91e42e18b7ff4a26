// Parts shared by losses of elements.
#pragma once
#include <string>

#include "ops/autocast.h"
#include "taper/core/optional_fields.h"
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

/// Returns the options of a loss that computes in float32 under autocast, with a cast weight.
template <class Options> Options autocast_weight(Options options) {
  options.weight = autocast_argument(AutocastPolicy::f32, options.weight);
  return options;
}

}  // namespace taper::nn::functional
