// Precision-recall curve, receiver operating characteristic, and the areas below them.
#pragma once
#include <optional>
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/classification/options.h"
#include "taper/metrics/classification/thresholds.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {
namespace detail {

struct CurveData;

}  // namespace detail

/// Options of the curves.
struct CurveOptions {
  Thresholds thresholds{};                     ///< none: exact
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  /// Multiclass: "none": one curve per class; "micro": one curve of all elements; "macro": the mean
  /// of the curves. Not used by the other tasks.
  std::string average = "none";
  bool validate_args = true;  ///< checks the values of targets
};

/// Options of the areas below curves.
struct CurveAreaOptions {
  /// "macro": the mean of the classes, "weighted": weighted by the number of targets, "micro"
  /// (multilabel): of all elements, "none": one value per class. Classes with the value NaN are
  /// omitted from averages. Not used by the binary metrics.
  std::string average = "macro";
  Thresholds thresholds{};                     ///< none: exact
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks the values of targets
  std::optional<double>
      max_fpr{};  ///< BinaryAUROC: standardized area up to this false positive rate
};

/// Base class of the metrics of curves. Predictions are probabilities `(N, ...)`, `(N, C, ...)` or
/// `(N, L, ...)`, or logits if a value of the batch is outside of [0, 1]; targets are integers.
/// State: lists `preds` and `target`, or `confmat` with a confusion matrix for each threshold.
class CurveMetric : public PredictionMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  struct Settings {
    Task task;
    std::int64_t num_classes;
    Thresholds thresholds{};
    std::optional<std::int64_t> ignore_index{};
    bool validate_args = true;
    std::string average = "none";
    bool has_micro_state = false;  ///< classes are combined when the state is updated
  };
  CurveMetric(std::string_view name, Settings settings);
  using PredictionMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  detail::CurveData curve_data() const;
  const Settings& settings() const { return settings_; }

 private:
  void add_counts(const Tensor& preds, const Tensor& target, const Tensor& mask);

  std::string_view name_;
  Settings settings_;
};

/// Base class of the curves. The value is a tuple of tensors `(T)`; for several classes, tensors
/// `(C, T)` and thresholds `(T)`, or three lists of tensors if exact.
class Curve : public CurveMetric {
 public:
  /// Returns the curve of all batches since the last reset. Throws ValueError without any.
  Value compute() const { return compute_value(); }

 protected:
  Curve(std::string_view name, Task task, std::int64_t num_classes, const CurveOptions& options);
};

/// Base class of the areas below curves.
class CurveArea : public CurveMetric {
 public:
  /// Returns the area below the curve of all batches since the last reset. Throws ValueError
  /// without any if it is exact.
  Tensor compute() const { return compute_value().as_tensor(); }

 protected:
  CurveArea(std::string_view name, Task task, std::int64_t num_classes,
            const CurveAreaOptions& options);
};

/// Base class of the precision-recall curves: (precision, recall, thresholds), where precision and
/// recall have one element more, (1, 0).
class PrecisionRecallCurve : public Curve {
 protected:
  using Curve::Curve;
  Value compute_state() const override;
};
/// PyTorch: torchmetrics.classification.BinaryPrecisionRecallCurve.
class BinaryPrecisionRecallCurve : public PrecisionRecallCurve {
 public:
  explicit BinaryPrecisionRecallCurve(const CurveOptions& options = {})
      : PrecisionRecallCurve("BinaryPrecisionRecallCurve", Task::binary, 1, options) {}
};
/// PyTorch: torchmetrics.classification.MulticlassPrecisionRecallCurve.
class MulticlassPrecisionRecallCurve : public PrecisionRecallCurve {
 public:
  explicit MulticlassPrecisionRecallCurve(IntArg num_classes, const CurveOptions& options = {})
      : PrecisionRecallCurve("MulticlassPrecisionRecallCurve", Task::multiclass, num_classes,
                             options) {}
};
/// PyTorch: torchmetrics.classification.MultilabelPrecisionRecallCurve.
class MultilabelPrecisionRecallCurve : public PrecisionRecallCurve {
 public:
  explicit MultilabelPrecisionRecallCurve(IntArg num_labels, const CurveOptions& options = {})
      : PrecisionRecallCurve("MultilabelPrecisionRecallCurve", Task::multilabel, num_labels,
                             options) {}
};

/// Base class of the receiver operating characteristics: (false positive rate, true positive rate,
/// thresholds), with descending thresholds. Exact curves begin with the point (0, 0).
class ROC : public Curve {
 protected:
  using Curve::Curve;
  Value compute_state() const override;
};
/// PyTorch: torchmetrics.classification.BinaryROC.
class BinaryROC : public ROC {
 public:
  explicit BinaryROC(const CurveOptions& options = {})
      : ROC("BinaryROC", Task::binary, 1, options) {}
};
/// PyTorch: torchmetrics.classification.MulticlassROC.
class MulticlassROC : public ROC {
 public:
  explicit MulticlassROC(IntArg num_classes, const CurveOptions& options = {})
      : ROC("MulticlassROC", Task::multiclass, num_classes, options) {}
};
/// PyTorch: torchmetrics.classification.MultilabelROC.
class MultilabelROC : public ROC {
 public:
  explicit MultilabelROC(IntArg num_labels, const CurveOptions& options = {})
      : ROC("MultilabelROC", Task::multilabel, num_labels, options) {}
};

/// Base class of the areas below the receiver operating characteristic.
class AUROC : public CurveArea {
 protected:
  AUROC(std::string_view name, Task task, std::int64_t num_classes,
        const CurveAreaOptions& options);
  Value compute_state() const override;

 private:
  std::optional<double> max_fpr_;
};
/// PyTorch: torchmetrics.classification.BinaryAUROC.
class BinaryAUROC : public AUROC {
 public:
  explicit BinaryAUROC(const CurveAreaOptions& options = {})
      : AUROC("BinaryAUROC", Task::binary, 1, options) {}
};
/// PyTorch: torchmetrics.classification.MulticlassAUROC.
class MulticlassAUROC : public AUROC {
 public:
  explicit MulticlassAUROC(IntArg num_classes, const CurveAreaOptions& options = {})
      : AUROC("MulticlassAUROC", Task::multiclass, num_classes, options) {}
};
/// PyTorch: torchmetrics.classification.MultilabelAUROC.
class MultilabelAUROC : public AUROC {
 public:
  explicit MultilabelAUROC(IntArg num_labels, const CurveAreaOptions& options = {})
      : AUROC("MultilabelAUROC", Task::multilabel, num_labels, options) {}
};

/// Base class of the average precisions: the sum of the precisions of the precision-recall curve,
/// weighted by the increase of recall.
class AveragePrecision : public CurveArea {
 protected:
  using CurveArea::CurveArea;
  Value compute_state() const override;
};
/// PyTorch: torchmetrics.classification.BinaryAveragePrecision.
class BinaryAveragePrecision : public AveragePrecision {
 public:
  explicit BinaryAveragePrecision(const CurveAreaOptions& options = {})
      : AveragePrecision("BinaryAveragePrecision", Task::binary, 1, options) {}
};
/// PyTorch: torchmetrics.classification.MulticlassAveragePrecision.
class MulticlassAveragePrecision : public AveragePrecision {
 public:
  explicit MulticlassAveragePrecision(IntArg num_classes, const CurveAreaOptions& options = {})
      : AveragePrecision("MulticlassAveragePrecision", Task::multiclass, num_classes, options) {}
};
/// PyTorch: torchmetrics.classification.MultilabelAveragePrecision.
class MultilabelAveragePrecision : public AveragePrecision {
 public:
  explicit MultilabelAveragePrecision(IntArg num_labels, const CurveAreaOptions& options = {})
      : AveragePrecision("MultilabelAveragePrecision", Task::multilabel, num_labels, options) {}
};

}  // namespace metrics
}  // namespace taper
