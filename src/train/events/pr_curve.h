// Precision-recall curves.
#pragma once
#include <cstdint>

#include "taper/train/summary_options.h"

namespace taper::train::events {

/// Largest number of thresholds that the dashboard of TensorBoard supports.
inline constexpr std::int64_t kMaxThresholds = 127;

/// Returns the true positives, false positives, true negatives, false negatives, precision and
/// recall at `num_thresholds` thresholds from 0 to 1, as f64 of shape (6, num_thresholds). Throws
/// ShapeError if the shapes of labels, predictions and weights differ, ValueError if the number of
/// thresholds is not positive.
Tensor compute_pr_curve(const Tensor& labels, const Tensor& predictions,
                        std::int64_t num_thresholds, const Tensor& weights);

/// Returns the given rows as one tensor (6, num_thresholds). Throws ShapeError if they are not of
/// the same 1-dimensional shape.
Tensor stack_pr_curve(const PrCurveCounts& counts);

}  // namespace taper::train::events
