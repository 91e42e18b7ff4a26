// Goodness of regressions: R2, explained variance, similarity and divergence.
#pragma once
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"
#include "taper/metrics/regression/error.h"

namespace TAPER_API taper {
namespace metrics {

/// Options of R2Score.
struct R2ScoreOptions {
  std::int64_t adjusted = 0;  ///< number of independent variables of the adjusted score
  /// Combination of the scores of K outputs: "uniform_average" (mean), "variance_weighted" (mean
  /// weighted by the variances of the target), or "raw_values" (no combination: `(K)`).
  std::string multioutput = "uniform_average";
};

/// Coefficient of determination 1 - sum (target - preds)^2 / sum (target - mean)^2, of `(N)` or
/// `(N, K)`. `compute` throws ValueError for less than two samples.
/// PyTorch: torchmetrics.regression.R2Score.
class R2Score : public RegressionMetric {
 public:
  explicit R2Score(const R2ScoreOptions& options = {});
  std::string_view type_name() const override { return "R2Score"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  R2ScoreOptions options_;
};

/// Sum of (target - preds)^2 divided by that of (target - mean)^2, or its root.
/// PyTorch: torchmetrics.regression.RelativeSquaredError.
class RelativeSquaredError : public RegressionMetric {
 public:
  explicit RelativeSquaredError(const SquaredErrorOptions& options = {});
  std::string_view type_name() const override { return "RelativeSquaredError"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  SquaredErrorOptions options_;
};

/// Options of ExplainedVariance.
struct ExplainedVarianceOptions {
  std::string multioutput = "uniform_average";  ///< as in R2ScoreOptions
};

/// 1 - var(target - preds) / var(target). PyTorch: torchmetrics.regression.ExplainedVariance.
class ExplainedVariance : public RegressionMetric {
 public:
  explicit ExplainedVariance(const ExplainedVarianceOptions& options = {});
  std::string_view type_name() const override { return "ExplainedVariance"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  std::string multioutput_;
};

/// Options of CosineSimilarity.
struct CosineSimilarityOptions {
  std::string reduction = "sum";  ///< "sum", "mean", or "none", `(N)`
};

/// Cosine of the angle between the rows of `(N, D)`. State: lists `preds` and `target`.
/// PyTorch: torchmetrics.regression.CosineSimilarity.
class CosineSimilarity : public RegressionMetric {
 public:
  explicit CosineSimilarity(const CosineSimilarityOptions& options = {});
  std::string_view type_name() const override { return "CosineSimilarity"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  std::string reduction_;
};

/// Options of KLDivergence.
struct KLDivergenceOptions {
  bool log_prob = false;           ///< the inputs are logarithms of probabilities
  std::string reduction = "mean";  ///< "mean", "sum", or "none", `(N)`
};

/// Kullback-Leibler divergence of rows of probabilities `(N, D)`: sum p log(p / q), where p are the
/// predictions. Without log_prob, rows are divided by their sum.
/// PyTorch: torchmetrics.regression.KLDivergence.
class KLDivergence : public RegressionMetric {
 public:
  explicit KLDivergence(const KLDivergenceOptions& options = {});
  std::string_view type_name() const override { return "KLDivergence"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  KLDivergenceOptions options_;
};

}  // namespace metrics
}  // namespace taper
