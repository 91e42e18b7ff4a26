// Metrics of segmentation: mean intersection over union and Dice scores.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Base class of the metrics of segmentation. Predictions and targets are label maps `(N, ...)` for
/// the input format "index", masks `(N, C, ...)` of 0 and 1 for "one-hot", one of each for "mixed".
/// Floating-point masks are scores, of which the largest selects the class. Scores of a single
/// class, and floating-point masks of 0 and 1 in which classes overlap, are rejected; in
/// torchmetrics, the largest element selects the class also there.
class SegmentationMetric : public ScoreMetric {
 protected:
  SegmentationMetric(std::string_view name, std::int64_t num_classes, bool include_background,
                     const std::string& input_format);
  /// Returns masks `(N, C, ...)`, i64, without the background if it is not included.
  std::pair<Tensor, Tensor> masks(const Tensor& preds, const Tensor& target) const;
  /// Returns the number of classes that count.
  std::int64_t counted_classes() const;

 private:
  std::int64_t num_classes_;
  bool include_background_;
  std::string input_format_;
};

/// Options of MeanIoU.
struct MeanIoUOptions {
  bool include_background = true;        ///< false: class 0 does not count
  bool per_class = false;                ///< one value per class; -1 for those that never occur
  std::string input_format = "one-hot";  ///< "one-hot", "index" or "mixed"
};

/// Mean intersection over union of the classes of each sample that occur. The value is a scalar, or
/// `(C)`. State: `score`, `num_batches`. Throws ValueError for invalid options; `update` throws
/// ShapeError for other shapes, ValueError for labels outside of [0, C) and for other masks.
/// PyTorch: torchmetrics.segmentation.MeanIoU.
class MeanIoU : public SegmentationMetric {
 public:
  explicit MeanIoU(IntArg num_classes, const MeanIoUOptions& options = {});
  std::string_view type_name() const override { return "MeanIoU"; }

 protected:
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  bool per_class_;
};

/// Options of DiceScore.
struct DiceScoreOptions {
  bool include_background = true;  ///< false: class 0 does not count
  /// "micro": of all elements; "macro": the mean of the classes; "weighted": weighted by the size
  /// of the targets; "none": one value per class.
  std::string average = "macro";
  std::string aggregation_level = "samplewise";  ///< "samplewise": mean of the samples; "global"
  std::string input_format = "one-hot";          ///< "one-hot", "index" or "mixed"
};

/// Dice score 2 |P and T| / (|P| + |T|). The value is a scalar, or `(C)`. State: lists `numerator`,
/// `denominator`, `support`. Throws as MeanIoU. PyTorch: torchmetrics.segmentation.DiceScore.
class DiceScore : public SegmentationMetric {
 public:
  explicit DiceScore(IntArg num_classes, const DiceScoreOptions& options = {});
  std::string_view type_name() const override { return "DiceScore"; }

 protected:
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  DiceScoreOptions options_;
};

/// Options of GeneralizedDiceScore.
struct GeneralizedDiceScoreOptions {
  bool include_background = true;  ///< false: class 0 does not count
  bool per_class = false;          ///< one value per class
  std::string weight_type =
      "square";  ///< of a class of size n: "square": 1 / n^2, "simple": 1 / n, "linear": 1
  std::string input_format = "one-hot";  ///< "one-hot", "index" or "mixed"
};

/// Dice score with weights of the classes, the mean of the samples. The value is a scalar, or
/// `(C)`. State: `score`, `samples`. Throws as MeanIoU.
/// PyTorch: torchmetrics.segmentation.GeneralizedDiceScore.
class GeneralizedDiceScore : public SegmentationMetric {
 public:
  explicit GeneralizedDiceScore(IntArg num_classes,
                                const GeneralizedDiceScoreOptions& options = {});
  std::string_view type_name() const override { return "GeneralizedDiceScore"; }

 protected:
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  GeneralizedDiceScoreOptions options_;
};

}  // namespace metrics
}  // namespace taper
