// Predictions and targets of a classification in a common form.
#pragma once
#include <optional>
#include <string_view>

#include "taper/core/tensor.h"
#include "taper/metrics/classification/options.h"

namespace taper::metrics {

/// Options that determine how inputs are read.
struct InputRules {
  std::string_view metric;
  Task task;
  std::int64_t num_classes;  ///< classes or labels; 1 if binary
  std::optional<std::int64_t> ignore_index{};
  bool validate_args = true;
  double threshold = 0.5;
};

/// Throw the errors of the constructor of a metric.
void check_rules(const InputRules& rules);
/// Throw ShapeError, DTypeError or ValueError unless predictions and targets fit the task. Labels
/// of a multiclass target are checked after ignored ones were removed.
void check_inputs(const InputRules& rules, const Tensor& preds, const Tensor& target);
/// As check_inputs, for metrics that require scores.
void check_scores(const InputRules& rules, const Tensor& preds, const Tensor& target);

/// Returns a mask of the targets that count.
Tensor counted(const InputRules& rules, const Tensor& target);
/// Returns predicted labels as i64: thresholded probabilities, or the class with the best score.
Tensor predicted_labels(const InputRules& rules, const Tensor& preds, const Tensor& target);

}  // namespace taper::metrics
