// Share of the samples all of whose elements are predicted correctly.
#pragma once
#include "taper/core/not_bool.h"
#include "taper/metrics/classification/options.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Options of MulticlassExactMatch and MultilabelExactMatch.
struct ExactMatchOptions {
  double threshold = 0.5;  ///< multilabel: a greater probability is a positive prediction
  std::string multidim_average = "global";     ///< "samplewise": one value per sample
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value count as correct
  bool validate_args = true;                   ///< checks options, shapes and values of targets
};

/// Base class of the metrics of exact matches. State: `correct`, `total`.
class ExactMatch : public ScoreMetric {
 public:
  std::string_view type_name() const override;

 protected:
  ExactMatch(Task task, std::int64_t num_classes, const ExactMatchOptions& options);
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  Task task_;
  std::int64_t num_classes_;
  ExactMatchOptions options_;
};

/// Share of the samples with all labels `(N, ...)` correct, of labels or scores `(N, C, ...)`. The
/// value is a scalar; `(N)` for "samplewise". Throws as MulticlassAccuracy.
/// PyTorch: torchmetrics.classification.MulticlassExactMatch.
class MulticlassExactMatch : public ExactMatch {
 public:
  explicit MulticlassExactMatch(IntArg num_classes, const ExactMatchOptions& options = {})
      : ExactMatch(Task::multiclass, num_classes, options) {}
};

/// Share of the samples with all labels correct, of predictions and targets `(N, L, ...)`. The
/// value is a scalar; the number of matches of each sample by its further dimensions for
/// "samplewise". Throws as MultilabelAccuracy.
/// PyTorch: torchmetrics.classification.MultilabelExactMatch.
class MultilabelExactMatch : public ExactMatch {
 public:
  explicit MultilabelExactMatch(IntArg num_labels, const ExactMatchOptions& options = {})
      : ExactMatch(Task::multilabel, num_labels, options) {}
};

}  // namespace metrics
}  // namespace taper
