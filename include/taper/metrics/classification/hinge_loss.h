// Mean hinge loss of a classification.
#pragma once
#include <optional>
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/classification/options.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Options of BinaryHingeLoss and MulticlassHingeLoss.
struct HingeLossOptions {
  bool squared = false;  ///< squares the loss
  /// Multiclass: "crammer-singer": margin of the target and the best other class; "one-vs-all": a
  /// binary loss for each class.
  std::string multiclass_mode = "crammer-singer";
  std::optional<std::int64_t> ignore_index{};  ///< targets of this value are ignored
  bool validate_args = true;                   ///< checks the values of targets
};

/// Base class of the hinge losses. State: `measures`, `total`.
class HingeLoss : public ScoreMetric {
 public:
  std::string_view type_name() const override;

 protected:
  HingeLoss(Task task, std::int64_t num_classes, const HingeLossOptions& options);
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  Task task_;
  std::int64_t num_classes_;
  HingeLossOptions options_;
};

/// Mean of max(0, 1 - margin), of scores and targets `(N, ...)`, where the margin is the
/// probability, negated for targets 0. Throws as BinaryAccuracy; DTypeError for integer scores.
/// PyTorch: torchmetrics.classification.BinaryHingeLoss.
class BinaryHingeLoss : public HingeLoss {
 public:
  explicit BinaryHingeLoss(const HingeLossOptions& options = {})
      : HingeLoss(Task::binary, 1, options) {}
};
/// Hinge loss of scores `(N, C, ...)` and labels `(N, ...)`. The value is a scalar, or `(C)` for
/// "one-vs-all". Throws as MulticlassAccuracy; DTypeError for integer scores.
/// PyTorch: torchmetrics.classification.MulticlassHingeLoss.
class MulticlassHingeLoss : public HingeLoss {
 public:
  explicit MulticlassHingeLoss(IntArg num_classes, const HingeLossOptions& options = {})
      : HingeLoss(Task::multiclass, num_classes, options) {}
};

}  // namespace metrics
}  // namespace taper
