// Predictions and targets of a regression in a common form.
#pragma once
#include <string_view>
#include <utility>

#include "taper/core/tensor.h"

namespace taper::metrics {

/// Returns both flattened for one output, `(N, K)` for several. Throws ShapeError for other shapes.
std::pair<Tensor, Tensor> outputs(std::string_view metric, const Tensor& preds,
                                  const Tensor& target, std::int64_t num_outputs);
/// Throws ShapeError unless the shapes are equal and `(N)`, or `(N, K)`.
void check_columns(std::string_view metric, const Tensor& preds, const Tensor& target,
                   std::int64_t num_outputs);
/// Returns 0 where x is 0, otherwise x log(y).
Tensor safe_xlogy(const Tensor& x, const Tensor& y);

}  // namespace taper::metrics
