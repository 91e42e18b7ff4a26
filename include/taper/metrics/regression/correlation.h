// Correlation coefficients.
#pragma once
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"
#include "taper/metrics/regression/error.h"

namespace TAPER_API taper {
namespace metrics {

/// Base class of PearsonCorrCoef and ConcordanceCorrCoef, of predictions and targets `(N)` or
/// `(N, K)`. State: mean, largest deviation and sum of squared deviations of both, the sum of the
/// products of deviations `corr_xy`, and `n_total`.
class CovarianceMetric : public RegressionMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  CovarianceMetric(std::string_view name, const RegressionOptions& options);
  void add_batch(const Tensor& preds, const Tensor& target) override;
  void merge_states(const Metric& other) override;
  /// Returns the correlation coefficient; NaN if a variance is negligible.
  Tensor correlation() const;

 private:
  /// Adds the moments of `n` samples to the state.
  void combine(const Tensor& n, const Tensor& mean_x, const Tensor& mean_y, const Tensor& var_x,
               const Tensor& var_y, const Tensor& corr_xy);

  std::string_view name_;
  std::int64_t num_outputs_;
};

/// Pearson's correlation coefficient. The value is a scalar, or `(K)`; NaN if the predictions or
/// the targets are constant. PyTorch: torchmetrics.regression.PearsonCorrCoef.
class PearsonCorrCoef : public CovarianceMetric {
 public:
  explicit PearsonCorrCoef(const RegressionOptions& options = {})
      : CovarianceMetric("PearsonCorrCoef", options) {}

 protected:
  Tensor compute_score() const override { return correlation(); }
};

/// Lin's concordance correlation coefficient. The value is a scalar, or `(K)`.
/// PyTorch: torchmetrics.regression.ConcordanceCorrCoef.
class ConcordanceCorrCoef : public CovarianceMetric {
 public:
  explicit ConcordanceCorrCoef(const RegressionOptions& options = {})
      : CovarianceMetric("ConcordanceCorrCoef", options) {}

 protected:
  Tensor compute_score() const override;
};

/// Spearman's rank correlation coefficient of `(N)` or `(N, K)`; equal values have their mean rank.
/// State: lists `preds` and `target`. PyTorch: torchmetrics.regression.SpearmanCorrCoef.
class SpearmanCorrCoef : public ScoreMetric {
 public:
  explicit SpearmanCorrCoef(const RegressionOptions& options = {});
  std::string_view type_name() const override { return "SpearmanCorrCoef"; }

 protected:
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  std::int64_t num_outputs_;
};

/// Options of KendallRankCorrCoef.
struct KendallRankCorrCoefOptions {
  /// "a": without pairs with equal values; "b": corrected for them; "c": for rectangular tables.
  std::string variant = "b";
  bool t_test = false;                    ///< returns (coefficient, p value)
  std::string alternative = "two-sided";  ///< of the test: "two-sided", "less" or "greater"
  std::int64_t num_outputs = 1;           ///< K > 1: predictions `(N, K)`
};

/// Kendall's rank correlation coefficient of `(N)` or `(N, K)`. `compute` takes time proportional
/// to N^2. State: lists `preds` and `target`. PyTorch: torchmetrics.regression.KendallRankCorrCoef.
class KendallRankCorrCoef : public PredictionMetric {
 public:
  explicit KendallRankCorrCoef(const KendallRankCorrCoefOptions& options = {});
  std::string_view type_name() const override { return "KendallRankCorrCoef"; }
  /// Returns the coefficient, or a tuple of coefficient and p value with `t_test`.
  Value compute() const { return compute_value(); }

 protected:
  using PredictionMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) override;
  Value compute_state() const override;

 private:
  KendallRankCorrCoefOptions options_;
};

}  // namespace metrics
}  // namespace taper
