// Errors of regressions: squared, absolute, relative and others.
#pragma once
#include <optional>
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// Options of metrics of one or several outputs.
struct RegressionOptions {
  std::int64_t num_outputs =
      1;  ///< number K of outputs; if K > 1, predictions are `(N, K)`, the result `(K)`
};

/// Base class of the metrics of regressions. Integers and bools are converted to the default dtype.
class RegressionMetric : public ScoreMetric {
 protected:
  virtual void add_batch(const Tensor& preds, const Tensor& target) = 0;
  using ScoreMetric::update_state;
  void update_state(const Tensor& preds, const Tensor& target) final;
};

/// Base class of the mean errors. Predictions and targets have the same shape; `update` throws
/// ShapeError otherwise. State: the sum of the errors and `total`, the number of elements.
class MeanErrorMetric : public RegressionMetric {
 public:
  std::string_view type_name() const override { return name_; }

 protected:
  /// `num_outputs` is 0 if all elements are combined, whatever their shape.
  MeanErrorMetric(std::string_view name, std::string sum_name, std::int64_t num_outputs = 0);
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;
  /// Returns the errors of the elements.
  virtual Tensor errors(const Tensor& preds, const Tensor& target) const = 0;

 private:
  std::string_view name_;
  std::string sum_name_;
  std::int64_t num_outputs_;
};

/// Options of MeanSquaredError and RelativeSquaredError.
struct SquaredErrorOptions {
  bool squared = true;           ///< false: the square root
  std::int64_t num_outputs = 1;  ///< K > 1: predictions `(N, K)`
};

/// Mean of (preds - target)^2, or its root. The value is a scalar, or `(K)`.
/// PyTorch: torchmetrics.regression.MeanSquaredError.
class MeanSquaredError : public MeanErrorMetric {
 public:
  explicit MeanSquaredError(const SquaredErrorOptions& options = {})
      : MeanErrorMetric("MeanSquaredError", "sum_squared_error", options.num_outputs),
        squared_(options.squared) {}

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;
  Tensor compute_score() const override;

 private:
  bool squared_;
};

/// Mean of |preds - target|. The value is a scalar, or `(K)`.
/// PyTorch: torchmetrics.regression.MeanAbsoluteError.
class MeanAbsoluteError : public MeanErrorMetric {
 public:
  explicit MeanAbsoluteError(const RegressionOptions& options = {})
      : MeanErrorMetric("MeanAbsoluteError", "sum_abs_error", options.num_outputs) {}

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;
};

/// Mean of log(cosh(preds - target)). The value is a scalar, or `(K)`.
/// PyTorch: torchmetrics.regression.LogCoshError.
class LogCoshError : public MeanErrorMetric {
 public:
  explicit LogCoshError(const RegressionOptions& options = {});

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;
};

/// Mean of (log(1 + preds) - log(1 + target))^2.
/// PyTorch: torchmetrics.regression.MeanSquaredLogError.
class MeanSquaredLogError : public MeanErrorMetric {
 public:
  MeanSquaredLogError() : MeanErrorMetric("MeanSquaredLogError", "sum_squared_log_error") {}

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;
};

/// Mean of |preds - target| / max(|target|, 1.17e-6).
/// PyTorch: torchmetrics.regression.MeanAbsolutePercentageError.
class MeanAbsolutePercentageError : public MeanErrorMetric {
 public:
  MeanAbsolutePercentageError()
      : MeanErrorMetric("MeanAbsolutePercentageError", "sum_abs_per_error") {}

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;
};

/// Mean of 2 |preds - target| / max(|target| + |preds|, 1.17e-6).
/// PyTorch: torchmetrics.regression.SymmetricMeanAbsolutePercentageError.
class SymmetricMeanAbsolutePercentageError : public MeanErrorMetric {
 public:
  SymmetricMeanAbsolutePercentageError()
      : MeanErrorMetric("SymmetricMeanAbsolutePercentageError", "sum_abs_per_error") {}

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;
};

/// Mean Tweedie deviance: of the normal distribution for power 0, Poisson for 1, gamma for 2,
/// inverse Gaussian for 3. Throws ValueError for a power in (0, 1); `update` throws ValueError for
/// predictions and targets outside of the domain. PyTorch:
/// torchmetrics.regression.TweedieDevianceScore.
class TweedieDevianceScore : public MeanErrorMetric {
 public:
  explicit TweedieDevianceScore(FloatArg power = 0.0);

 protected:
  Tensor errors(const Tensor& preds, const Tensor& target) const override;

 private:
  double power_;
};

/// Sum of |preds - target| divided by the sum of |target|.
/// PyTorch: torchmetrics.regression.WeightedMeanAbsolutePercentageError.
class WeightedMeanAbsolutePercentageError : public RegressionMetric {
 public:
  WeightedMeanAbsolutePercentageError();
  std::string_view type_name() const override { return "WeightedMeanAbsolutePercentageError"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;
};

/// p-th root of the sum of |preds - target|^p. Throws ValueError if p is less than 1.
/// PyTorch: torchmetrics.regression.MinkowskiDistance.
class MinkowskiDistance : public RegressionMetric {
 public:
  explicit MinkowskiDistance(FloatArg p);
  std::string_view type_name() const override { return "MinkowskiDistance"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;

 private:
  double p_;
};

/// Options of NormalizedRootMeanSquaredError.
struct NormalizedRootMeanSquaredErrorOptions {
  /// Divisor, computed from the targets: "mean", "range", "std" or "l2".
  std::string normalization = "mean";
  std::int64_t num_outputs = 1;  ///< K > 1: predictions `(N, K)`
};

/// Root of the mean squared error, divided by a measure of the targets. The value is a scalar, or
/// `(K)`. PyTorch: torchmetrics.regression.NormalizedRootMeanSquaredError.
class NormalizedRootMeanSquaredError : public RegressionMetric {
 public:
  explicit NormalizedRootMeanSquaredError(
      const NormalizedRootMeanSquaredErrorOptions& options = {});
  std::string_view type_name() const override { return "NormalizedRootMeanSquaredError"; }

 protected:
  void add_batch(const Tensor& preds, const Tensor& target) override;
  Tensor compute_score() const override;
  void merge_states(const Metric& other) override;

 private:
  NormalizedRootMeanSquaredErrorOptions options_;
};

}  // namespace metrics
}  // namespace taper
