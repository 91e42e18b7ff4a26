// Metrics of the counts of true and false positives and negatives: accuracy, precision, recall and
// others.
#pragma once
#include <array>

#include "taper/core/not_bool.h"
#include "taper/metrics/classification/options.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Score computed from the counts of true positives tp, false positives fp, true negatives tn and
/// false negatives fn.
enum class Score : std::uint8_t {
  stat_scores,       ///< (tp, fp, tn, fn, tp + fn) in the last dimension
  accuracy,          ///< multiclass: tp / (tp + fn), otherwise (tp + tn) / (tp + fp + tn + fn)
  precision,         ///< tp / (tp + fp)
  recall,            ///< tp / (tp + fn)
  f_beta,            ///< (1 + b^2) tp / ((1 + b^2) tp + b^2 fn + fp)
  specificity,       ///< tn / (tn + fp)
  hamming_distance,  ///< 1 - accuracy
};

/// Base class of the metrics of counts. State: `tp`, `fp`, `tn` and `fn`, with one element per
/// class or label; lists with one row per sample for "samplewise".
class StatScoresMetric : public ScoreMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  struct Settings {
    Task task;
    Score score;
    std::int64_t num_classes;  ///< classes or labels; 1 if binary
    double threshold;
    std::int64_t top_k;
    std::string average;
    std::string multidim_average;
    std::optional<std::int64_t> ignore_index;
    bool validate_args;
    double zero_division;
    double beta;
  };
  StatScoresMetric(std::string_view name, Score score, const BinaryOptions& options,
                   double beta = 1);
  StatScoresMetric(std::string_view name, Score score, std::int64_t num_classes,
                   const MulticlassOptions& options, double beta = 1);
  StatScoresMetric(std::string_view name, Score score, std::int64_t num_labels,
                   const MultilabelOptions& options, double beta = 1);
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  void declare_states();
  bool is_samplewise() const { return settings_.multidim_average == "samplewise"; }
  Tensor score(const std::array<Tensor, 4>& counts) const;

  std::string_view name_;
  Settings settings_;
};

namespace detail {

/// Returns the class names of a score for the three tasks.
std::array<std::string_view, 3> score_names(Score score);

}  // namespace detail

/// Binary metrics of counts, of predictions and targets `(N, ...)`. The value is a scalar, or `(N)`
/// for "samplewise". Throws ValueError for invalid options; `update` throws ShapeError if the
/// shapes differ, ValueError for targets other than 0, 1 and the ignored value.
template <Score S> class BinaryStatScoresMetric : public StatScoresMetric {
 public:
  explicit BinaryStatScoresMetric(const BinaryOptions& options = {})
      : StatScoresMetric(detail::score_names(S)[0], S, options) {}
};

/// Multiclass metrics of counts, of labels `(N, ...)`, or of scores `(N, C, ...)` and labels
/// `(N, ...)`; of equal scores, the first class is the prediction. The value is a scalar, or `(C)`
/// for the average "none", with a leading dimension N for "samplewise". Throws ValueError for
/// invalid options; `update` throws ShapeError for other shapes, ValueError for labels that are
/// neither in [0, C) nor ignored.
template <Score S> class MulticlassStatScoresMetric : public StatScoresMetric {
 public:
  explicit MulticlassStatScoresMetric(IntArg num_classes, const MulticlassOptions& options = {})
      : StatScoresMetric(detail::score_names(S)[1], S, num_classes, options) {}
};

/// Multilabel metrics of counts, of predictions and targets `(N, L, ...)`. The value is a scalar,
/// or `(L)` for the average "none", with a leading dimension N for "samplewise". Throws as the
/// binary metrics.
template <Score S> class MultilabelStatScoresMetric : public StatScoresMetric {
 public:
  explicit MultilabelStatScoresMetric(IntArg num_labels, const MultilabelOptions& options = {})
      : StatScoresMetric(detail::score_names(S)[2], S, num_labels, options) {}
};

/// Numbers of true positives, false positives, true negatives and false negatives, and the support.
/// PyTorch: torchmetrics.classification.BinaryStatScores, MulticlassStatScores and
/// MultilabelStatScores.
using BinaryStatScores = BinaryStatScoresMetric<Score::stat_scores>;
using MulticlassStatScores = MulticlassStatScoresMetric<Score::stat_scores>;
using MultilabelStatScores = MultilabelStatScoresMetric<Score::stat_scores>;
/// Accuracy. PyTorch: torchmetrics.classification.BinaryAccuracy, MulticlassAccuracy and
/// MultilabelAccuracy.
using BinaryAccuracy = BinaryStatScoresMetric<Score::accuracy>;
using MulticlassAccuracy = MulticlassStatScoresMetric<Score::accuracy>;
using MultilabelAccuracy = MultilabelStatScoresMetric<Score::accuracy>;
/// Precision. PyTorch: torchmetrics.classification.BinaryPrecision, MulticlassPrecision and
/// MultilabelPrecision.
using BinaryPrecision = BinaryStatScoresMetric<Score::precision>;
using MulticlassPrecision = MulticlassStatScoresMetric<Score::precision>;
using MultilabelPrecision = MultilabelStatScoresMetric<Score::precision>;
/// Recall. PyTorch: torchmetrics.classification.BinaryRecall, MulticlassRecall and
/// MultilabelRecall.
using BinaryRecall = BinaryStatScoresMetric<Score::recall>;
using MulticlassRecall = MulticlassStatScoresMetric<Score::recall>;
using MultilabelRecall = MultilabelStatScoresMetric<Score::recall>;
/// F1 score, the harmonic mean of precision and recall.
/// PyTorch: torchmetrics.classification.BinaryF1Score, MulticlassF1Score and MultilabelF1Score.
using BinaryF1Score = BinaryStatScoresMetric<Score::f_beta>;
using MulticlassF1Score = MulticlassStatScoresMetric<Score::f_beta>;
using MultilabelF1Score = MultilabelStatScoresMetric<Score::f_beta>;
/// Specificity. PyTorch: torchmetrics.classification.BinarySpecificity, MulticlassSpecificity and
/// MultilabelSpecificity.
using BinarySpecificity = BinaryStatScoresMetric<Score::specificity>;
using MulticlassSpecificity = MulticlassStatScoresMetric<Score::specificity>;
using MultilabelSpecificity = MultilabelStatScoresMetric<Score::specificity>;
/// Hamming distance. PyTorch: torchmetrics.classification.BinaryHammingDistance,
/// MulticlassHammingDistance and MultilabelHammingDistance.
using BinaryHammingDistance = BinaryStatScoresMetric<Score::hamming_distance>;
using MulticlassHammingDistance = MulticlassStatScoresMetric<Score::hamming_distance>;
using MultilabelHammingDistance = MultilabelStatScoresMetric<Score::hamming_distance>;

/// F-beta score: recall is `beta` times as important as precision. Throws ValueError unless `beta`
/// is positive. PyTorch: torchmetrics.classification.BinaryFBetaScore.
class BinaryFBetaScore : public StatScoresMetric {
 public:
  explicit BinaryFBetaScore(FloatArg beta, const BinaryOptions& options = {})
      : StatScoresMetric("BinaryFBetaScore", Score::f_beta, options, beta) {}
};
/// As BinaryFBetaScore. PyTorch: torchmetrics.classification.MulticlassFBetaScore.
class MulticlassFBetaScore : public StatScoresMetric {
 public:
  MulticlassFBetaScore(FloatArg beta, IntArg num_classes, const MulticlassOptions& options = {})
      : StatScoresMetric("MulticlassFBetaScore", Score::f_beta, num_classes, options, beta) {}
};
/// As BinaryFBetaScore. PyTorch: torchmetrics.classification.MultilabelFBetaScore.
class MultilabelFBetaScore : public StatScoresMetric {
 public:
  MultilabelFBetaScore(FloatArg beta, IntArg num_labels, const MultilabelOptions& options = {})
      : StatScoresMetric("MultilabelFBetaScore", Score::f_beta, num_labels, options, beta) {}
};

}  // namespace metrics
}  // namespace taper
