// Computation of curves from stored predictions or from the counts of each threshold.
#pragma once
#include <optional>
#include <vector>

#include "taper/core/tensor.h"
#include "taper/metrics/classification/options.h"

namespace taper::metrics::detail {

/// State of a metric of curves. Either `preds` and `target` are defined, or `confmat` and
/// `thresholds`.
struct CurveData {
  Task task;
  std::int64_t classes;  ///< 1 for one curve
  std::optional<std::int64_t> ignore_index;
  Tensor preds{}, target{};        ///< `(N)`, or `(N, C)` with labels `(N)` or `(N, L)`
  Tensor confmat{}, thresholds{};  ///< `(T, C, 2, 2)`, `(T)`

  bool is_binned() const { return confmat.defined(); }
  /// Returns the number of positive targets of each class, f32.
  Tensor support() const;
  /// Returns the data of a single curve of all elements.
  CurveData flattened() const;
};

/// A curve of one class: rates and thresholds.
struct CurvePoints {
  Tensor x, y, thresholds;
};

/// Returns precision, recall and ascending thresholds of each class.
std::vector<CurvePoints> precision_recall_curves(const CurveData& data);
/// Returns false positive rate, true positive rate and descending thresholds of each class.
std::vector<CurvePoints> roc_curves(const CurveData& data);

/// Returns the mean of curves at all values of x: the y of each curve is interpolated linearly.
CurvePoints mean_curve(const std::vector<CurvePoints>& curves, bool has_descending_thresholds);

}  // namespace taper::metrics::detail
