// Confusion matrix and the metrics computed from it.
#pragma once
#include <optional>
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/classification/options.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Base class of the metrics of a confusion matrix, whose rows are targets and whose columns are
/// predictions. State: `confmat`, `(2, 2)`, `(C, C)`, or `(L, 2, 2)` for multilabel.
class ConfusionMatrixMetric : public ScoreMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  struct Settings {
    Task task;
    std::int64_t num_classes;
    double threshold = 0.5;
    std::optional<std::int64_t> ignore_index{};
    bool validate_args = true;
  };
  ConfusionMatrixMetric(std::string_view name, const Settings& settings);
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  const Settings& settings() const { return settings_; }

 private:
  std::string_view name_;
  Settings settings_;
};

/// Options of the confusion matrices.
struct ConfusionMatrixOptions {
  double threshold = 0.5;  ///< a greater probability is a positive prediction; not multiclass
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  /// Divides by the sum of the row ("true"), of the column ("pred") or of all elements ("all");
  /// "none": counts. Rows and columns of zeros remain zero.
  std::string normalize = "none";
  bool validate_args = true;  ///< checks the values of targets
};

/// Base class of BinaryConfusionMatrix, MulticlassConfusionMatrix and MultilabelConfusionMatrix.
class ConfusionMatrix : public ConfusionMatrixMetric {
 protected:
  ConfusionMatrix(std::string_view name, Task task, std::int64_t num_classes,
                  const ConfusionMatrixOptions& options);
  Tensor compute_score() const override;

 private:
  std::string normalize_;
};

/// Confusion matrix `(2, 2)` of predictions and targets `(N, ...)`. Throws as BinaryAccuracy.
/// PyTorch: torchmetrics.classification.BinaryConfusionMatrix.
class BinaryConfusionMatrix : public ConfusionMatrix {
 public:
  explicit BinaryConfusionMatrix(const ConfusionMatrixOptions& options = {})
      : ConfusionMatrix("BinaryConfusionMatrix", Task::binary, 1, options) {}
};
/// Confusion matrix `(C, C)` of labels `(N, ...)` or scores `(N, C, ...)`, and labels `(N, ...)`.
/// Throws as MulticlassAccuracy. PyTorch: torchmetrics.classification.MulticlassConfusionMatrix.
class MulticlassConfusionMatrix : public ConfusionMatrix {
 public:
  explicit MulticlassConfusionMatrix(IntArg num_classes, const ConfusionMatrixOptions& options = {})
      : ConfusionMatrix("MulticlassConfusionMatrix", Task::multiclass, num_classes, options) {}
};
/// Confusion matrices `(L, 2, 2)` of predictions and targets `(N, L, ...)`. Throws as
/// MultilabelAccuracy. PyTorch: torchmetrics.classification.MultilabelConfusionMatrix.
class MultilabelConfusionMatrix : public ConfusionMatrix {
 public:
  explicit MultilabelConfusionMatrix(IntArg num_labels, const ConfusionMatrixOptions& options = {})
      : ConfusionMatrix("MultilabelConfusionMatrix", Task::multilabel, num_labels, options) {}
};

/// Options of the Jaccard indices.
struct JaccardIndexOptions {
  double threshold = 0.5;  ///< a greater probability is a positive prediction; not multiclass
  /// "micro": of all elements; "macro": the mean of the classes that occur; "weighted": weighted by
  /// the number of targets; "none": one value per class. Not used by BinaryJaccardIndex.
  std::string average = "macro";
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks the values of targets
  double zero_division = 0;                    ///< score of a division by zero
};

/// Base class of BinaryJaccardIndex, MulticlassJaccardIndex and MultilabelJaccardIndex.
class JaccardIndex : public ConfusionMatrixMetric {
 protected:
  JaccardIndex(std::string_view name, Task task, std::int64_t num_classes,
               const JaccardIndexOptions& options);
  Tensor compute_score() const override;

 private:
  std::string average_;
  double zero_division_;
};

/// Jaccard index tp / (tp + fp + fn), of the inputs of BinaryAccuracy.
/// PyTorch: torchmetrics.classification.BinaryJaccardIndex.
class BinaryJaccardIndex : public JaccardIndex {
 public:
  explicit BinaryJaccardIndex(const JaccardIndexOptions& options = {})
      : JaccardIndex("BinaryJaccardIndex", Task::binary, 1, options) {}
};
/// Jaccard index of the inputs of MulticlassAccuracy.
/// PyTorch: torchmetrics.classification.MulticlassJaccardIndex.
class MulticlassJaccardIndex : public JaccardIndex {
 public:
  explicit MulticlassJaccardIndex(IntArg num_classes, const JaccardIndexOptions& options = {})
      : JaccardIndex("MulticlassJaccardIndex", Task::multiclass, num_classes, options) {}
};
/// Jaccard index of the inputs of MultilabelAccuracy.
/// PyTorch: torchmetrics.classification.MultilabelJaccardIndex.
class MultilabelJaccardIndex : public JaccardIndex {
 public:
  explicit MultilabelJaccardIndex(IntArg num_labels, const JaccardIndexOptions& options = {})
      : JaccardIndex("MultilabelJaccardIndex", Task::multilabel, num_labels, options) {}
};

/// Options of Cohen's kappa.
struct CohenKappaOptions {
  double threshold = 0.5;  ///< a greater probability is a positive prediction; not multiclass
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  std::string weights =
      "none";                 ///< of confusions by the distance of classes: "linear", "quadratic"
  bool validate_args = true;  ///< checks the values of targets
};

/// Base class of BinaryCohenKappa and MulticlassCohenKappa.
class CohenKappa : public ConfusionMatrixMetric {
 protected:
  CohenKappa(std::string_view name, Task task, std::int64_t num_classes,
             const CohenKappaOptions& options);
  Tensor compute_score() const override;

 private:
  std::string weights_;
};

/// Cohen's kappa, the agreement beyond that by chance, of the inputs of BinaryAccuracy.
/// PyTorch: torchmetrics.classification.BinaryCohenKappa.
class BinaryCohenKappa : public CohenKappa {
 public:
  explicit BinaryCohenKappa(const CohenKappaOptions& options = {})
      : CohenKappa("BinaryCohenKappa", Task::binary, 1, options) {}
};
/// Cohen's kappa of the inputs of MulticlassAccuracy.
/// PyTorch: torchmetrics.classification.MulticlassCohenKappa.
class MulticlassCohenKappa : public CohenKappa {
 public:
  explicit MulticlassCohenKappa(IntArg num_classes, const CohenKappaOptions& options = {})
      : CohenKappa("MulticlassCohenKappa", Task::multiclass, num_classes, options) {}
};

/// Options of Matthews' correlation coefficient.
struct MatthewsCorrCoefOptions {
  double threshold = 0.5;  ///< a greater probability is a positive prediction; not multiclass
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks the values of targets
};

/// Base class of the metrics of Matthews' correlation coefficient.
class MatthewsCorrCoef : public ConfusionMatrixMetric {
 protected:
  MatthewsCorrCoef(std::string_view name, Task task, std::int64_t num_classes,
                   const MatthewsCorrCoefOptions& options);
  Tensor compute_score() const override;
};

/// Matthews' correlation coefficient of the inputs of BinaryAccuracy.
/// PyTorch: torchmetrics.classification.BinaryMatthewsCorrCoef.
class BinaryMatthewsCorrCoef : public MatthewsCorrCoef {
 public:
  explicit BinaryMatthewsCorrCoef(const MatthewsCorrCoefOptions& options = {})
      : MatthewsCorrCoef("BinaryMatthewsCorrCoef", Task::binary, 1, options) {}
};
/// Matthews' correlation coefficient of the inputs of MulticlassAccuracy.
/// PyTorch: torchmetrics.classification.MulticlassMatthewsCorrCoef.
class MulticlassMatthewsCorrCoef : public MatthewsCorrCoef {
 public:
  explicit MulticlassMatthewsCorrCoef(IntArg num_classes,
                                      const MatthewsCorrCoefOptions& options = {})
      : MatthewsCorrCoef("MulticlassMatthewsCorrCoef", Task::multiclass, num_classes, options) {}
};
/// Matthews' correlation coefficient of all labels together, of the inputs of MultilabelAccuracy.
/// PyTorch: torchmetrics.classification.MultilabelMatthewsCorrCoef.
class MultilabelMatthewsCorrCoef : public MatthewsCorrCoef {
 public:
  explicit MultilabelMatthewsCorrCoef(IntArg num_labels,
                                      const MatthewsCorrCoefOptions& options = {})
      : MatthewsCorrCoef("MultilabelMatthewsCorrCoef", Task::multilabel, num_labels, options) {}
};

}  // namespace metrics
}  // namespace taper
