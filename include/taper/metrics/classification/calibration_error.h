// Difference between confidence and accuracy of a classification.
#pragma once
#include <optional>
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/classification/options.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Options of BinaryCalibrationError and MulticlassCalibrationError.
struct CalibrationErrorOptions {
  std::int64_t n_bins = 15;  ///< number of bins of confidence in [0, 1]
  /// "l1": expected error, "l2": its root mean square, "max": maximum of the bins.
  std::string norm = "l1";
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks the values of targets
};

/// Base class of the calibration errors. State: lists `confidences` and `accuracies`.
class CalibrationError : public ScoreMetric {
 public:
  std::string_view type_name() const override;

 protected:
  CalibrationError(Task task, std::int64_t num_classes, const CalibrationErrorOptions& options);
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  Task task_;
  std::int64_t num_classes_;
  CalibrationErrorOptions options_;
};

/// Calibration error of probabilities and targets `(N, ...)`. Throws ValueError for invalid
/// options; `update` throws as BinaryHingeLoss.
/// PyTorch: torchmetrics.classification.BinaryCalibrationError.
class BinaryCalibrationError : public CalibrationError {
 public:
  explicit BinaryCalibrationError(const CalibrationErrorOptions& options = {})
      : CalibrationError(Task::binary, 1, options) {}
};
/// Calibration error of the best of the scores `(N, C, ...)`, with labels `(N, ...)`. Throws as
/// BinaryCalibrationError. PyTorch: torchmetrics.classification.MulticlassCalibrationError.
class MulticlassCalibrationError : public CalibrationError {
 public:
  explicit MulticlassCalibrationError(IntArg num_classes,
                                      const CalibrationErrorOptions& options = {})
      : CalibrationError(Task::multiclass, num_classes, options) {}
};

}  // namespace metrics
}  // namespace taper
