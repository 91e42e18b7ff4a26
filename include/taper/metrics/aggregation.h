// Aggregation of numbers: mean, sum, maximum, minimum, concatenation.
#pragma once
#include <optional>
#include <string>

#include "taper/core/not_bool.h"
#include "taper/metrics/metric.h"

namespace TAPER_API taper {
namespace metrics {

/// How an aggregation treats NaN: "error" throws RuntimeError; "warn" and "ignore" remove them,
/// with a warning or without; "disable" does not look for them; a number replaces them.
class NanStrategy {
 public:
  /// Throws ValueError for another name.
  NanStrategy(const char* name) : NanStrategy(std::string(name)) {}
  NanStrategy(std::string name);
  NanStrategy(FloatArg replacement) : replacement_(replacement) {}
  template <std::floating_point F> NanStrategy(F replacement)
      : replacement_(static_cast<double>(replacement)) {}

  const std::string& name() const { return name_; }
  const std::optional<double>& replacement() const { return replacement_; }

 private:
  std::string name_{};
  std::optional<double> replacement_{};
};

/// Options of the aggregations.
struct AggregationOptions {
  NanStrategy nan_strategy = "warn";
};

/// Base class of the aggregations of values of any shape. They are converted to default_dtype().
class Aggregator : public Metric {
 public:
  /// Adds the elements of `value`. Throws RuntimeError for NaN with the strategy "error".
  void update(const Tensor& value) { update_values({value}); }
  void update(FloatArg value) { update_values({static_cast<double>(value)}); }
  Tensor compute() const { return compute_value().as_tensor(); }
  /// Adds the elements of `value` and returns their aggregate alone.
  Tensor forward(const Tensor& value) { return forward_values({value}).as_tensor(); }

 protected:
  explicit Aggregator(const AggregationOptions& options) : options_(options) {}
  /// Adds values without NaN and their weights, which have the same shape. They are not empty.
  virtual void add(const Tensor& values, const Tensor& weights) = 0;
  void update_state(const Values& batch) override;
  /// Adds a batch of values and weights, without NaN.
  void add_batch(const Value& value, const Value& weight);

 private:
  AggregationOptions options_;
};

/// Weighted mean. PyTorch: torchmetrics.aggregation.MeanMetric.
class MeanMetric : public Aggregator {
 public:
  explicit MeanMetric(const AggregationOptions& options = {});
  std::string_view type_name() const override { return "MeanMetric"; }
  using Aggregator::update;
  /// Adds values with weights, which are broadcast to their shape.
  void update(const Tensor& value, const Tensor& weight) { update_values({value, weight}); }

 protected:
  void update_state(const Values& batch) override;
  void add(const Tensor& values, const Tensor& weights) override;
  Value compute_state() const override;
};

/// Sum. PyTorch: torchmetrics.aggregation.SumMetric.
class SumMetric : public Aggregator {
 public:
  explicit SumMetric(const AggregationOptions& options = {});
  std::string_view type_name() const override { return "SumMetric"; }

 protected:
  void add(const Tensor& values, const Tensor& weights) override;
  Value compute_state() const override;
};

/// Maximum; -inf without values. PyTorch: torchmetrics.aggregation.MaxMetric.
class MaxMetric : public Aggregator {
 public:
  explicit MaxMetric(const AggregationOptions& options = {});
  std::string_view type_name() const override { return "MaxMetric"; }

 protected:
  void add(const Tensor& values, const Tensor& weights) override;
  Value compute_state() const override;
};

/// Minimum; inf without values. PyTorch: torchmetrics.aggregation.MinMetric.
class MinMetric : public Aggregator {
 public:
  explicit MinMetric(const AggregationOptions& options = {});
  std::string_view type_name() const override { return "MinMetric"; }

 protected:
  void add(const Tensor& values, const Tensor& weights) override;
  Value compute_state() const override;
};

/// All values, concatenated along dimension 0. An empty tensor without values, where PyTorch
/// returns an empty list. PyTorch: torchmetrics.aggregation.CatMetric.
class CatMetric : public Aggregator {
 public:
  explicit CatMetric(const AggregationOptions& options = {});
  std::string_view type_name() const override { return "CatMetric"; }

 protected:
  void add(const Tensor& values, const Tensor& weights) override;
  Value compute_state() const override;
};

/// Options of RunningMean and RunningSum.
struct RunningOptions {
  std::int64_t window = 5;  ///< number of batches
  NanStrategy nan_strategy = "warn";
};

/// Base class of RunningMean and RunningSum. State: `value_<i>` and `weight_<i>` of each of the
/// last batches, and `num_vals_seen`. As in PyTorch, other processes do not contribute: merging
/// leaves the window unchanged.
class RunningAggregator : public Aggregator {
 protected:
  explicit RunningAggregator(std::string_view name, const RunningOptions& options);
  void update_state(const Values& batch) override;
  void add(const Tensor& values, const Tensor& weights) override;
  /// Returns the sum of the values, or of the weights, of the window.
  Tensor total(const char* name) const;

 private:
  /// Returns the number of the oldest batch, as a suffix of states.
  std::string slot() const;

  std::int64_t window_;
};

/// Mean of the last batches. PyTorch: torchmetrics.aggregation.RunningMean.
class RunningMean : public RunningAggregator {
 public:
  explicit RunningMean(const RunningOptions& options = {})
      : RunningAggregator("RunningMean", options) {}
  std::string_view type_name() const override { return "RunningMean"; }

 protected:
  Value compute_state() const override;
};

/// Sum of the last batches. PyTorch: torchmetrics.aggregation.RunningSum.
class RunningSum : public RunningAggregator {
 public:
  explicit RunningSum(const RunningOptions& options = {})
      : RunningAggregator("RunningSum", options) {}
  std::string_view type_name() const override { return "RunningSum"; }

 protected:
  Value compute_state() const override;
};

}  // namespace metrics
}  // namespace taper
