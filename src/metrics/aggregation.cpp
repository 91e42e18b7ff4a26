#include "taper/metrics/aggregation.h"

#include <limits>

#include "core/check.h"

#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::metrics {
namespace {

/// Returns a tensor or a number as a tensor of default_dtype().
Tensor as_values(std::string_view metric, const Value& value) {
  if (value.is_tensor()) return value.as_tensor().to(default_dtype());
  if (value.is_float() || value.is_int() || value.is_bool())
    return scalar_tensor(value.as_double());
  fail<TypeError>("{}: expected a tensor or a number, got {}", metric, value.type_name());
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

NanStrategy::NanStrategy(std::string name) : name_(std::move(name)) {
  check_choice("NanStrategy", "name", name_, {"error", "warn", "ignore", "disable"});
}

void Aggregator::update_state(const Values& batch) {
  if (batch.size() != 1) fail<TypeError>("{}: expected one value", type_name());
  add_batch(batch[0], {});
}

void Aggregator::add_batch(const Value& value, const Value& weight) {
  Tensor values = as_values(type_name(), value);
  Tensor weights = weight.is_none() ? ones_like(values)
                                    : as_values(type_name(), weight).broadcast_to(values.shape());
  const NanStrategy& strategy = options_.nan_strategy;
  if (strategy.name() != "disable") {
    const Tensor missing = values.isnan() | weights.isnan();
    if (missing.any().item<bool>()) {
      if (strategy.name() == "error")
        fail<RuntimeError>("{}: encountered NaN values in tensor", type_name());
      if (strategy.replacement()) {
        values = values.masked_fill(missing, *strategy.replacement());
        weights = weights.masked_fill(missing, 1);
      } else {
        if (strategy.name() == "warn")
          warn(format_message("{}: encountered NaN values in tensor, which are removed",
                              type_name()));
        values = values.masked_select(~missing);
        weights = weights.masked_select(~missing);
      }
    }
  }
  if (values.numel() > 0) add(values, weights);
}

MeanMetric::MeanMetric(const AggregationOptions& options) : Aggregator(options) {
  add_state("mean_value", zeros({}));
  add_state("weight", zeros({}));
}

void MeanMetric::update_state(const Values& batch) {
  if (batch.empty() || batch.size() > 2)
    fail<TypeError>("MeanMetric: expected a value and at most one weight");
  add_batch(batch[0], batch.size() == 2 ? batch[1] : Value());
}

void MeanMetric::add(const Tensor& values, const Tensor& weights) {
  accumulate("mean_value", (values * weights).sum());
  accumulate("weight", weights.sum());
}

Value MeanMetric::compute_state() const { return state("mean_value") / state("weight"); }

SumMetric::SumMetric(const AggregationOptions& options) : Aggregator(options) {
  add_state("sum_value", zeros({}));
}

void SumMetric::add(const Tensor& values, const Tensor& /*weights*/) {
  accumulate("sum_value", values.sum());
}

Value SumMetric::compute_state() const { return state("sum_value"); }

MaxMetric::MaxMetric(const AggregationOptions& options) : Aggregator(options) {
  add_state("max_value", full({}, -kInfinity), Reduction::max);
}

void MaxMetric::add(const Tensor& values, const Tensor& /*weights*/) {
  set_state("max_value", state("max_value").maximum(values.max()));
}

Value MaxMetric::compute_state() const { return state("max_value"); }

MinMetric::MinMetric(const AggregationOptions& options) : Aggregator(options) {
  add_state("min_value", full({}, kInfinity), Reduction::min);
}

void MinMetric::add(const Tensor& values, const Tensor& /*weights*/) {
  set_state("min_value", state("min_value").minimum(values.min()));
}

Value MinMetric::compute_state() const { return state("min_value"); }

CatMetric::CatMetric(const AggregationOptions& options) : Aggregator(options) { add_list("value"); }

void CatMetric::add(const Tensor& values, const Tensor& /*weights*/) { append("value", values); }

Value CatMetric::compute_state() const {
  return list("value").empty() ? zeros({0}) : concatenated("value");
}

RunningAggregator::RunningAggregator(std::string_view name, const RunningOptions& options)
    : Aggregator({options.nan_strategy}), window_(options.window) {
  check_at_least(name, "window", window_, 1);
  // Merging leaves the window unchanged.
  for (std::int64_t i = 0; i < window_; ++i) {
    add_state("value_" + std::to_string(i), zeros({}), Reduction::custom);
    add_state("weight_" + std::to_string(i), zeros({}), Reduction::custom);
  }
  add_state("num_vals_seen", zeros({}, {.dtype = DType::i64}), Reduction::custom);
}

std::string RunningAggregator::slot() const {
  return std::to_string(state("num_vals_seen").item<std::int64_t>() % window_);
}

void RunningAggregator::update_state(const Values& batch) {
  // The batch replaces the oldest one, also if all of its elements are removed.
  set_state("value_" + slot(), zeros({}));
  set_state("weight_" + slot(), zeros({}));
  Aggregator::update_state(batch);
  accumulate("num_vals_seen", full({}, 1));
}

void RunningAggregator::add(const Tensor& values, const Tensor& weights) {
  set_state("value_" + slot(), (values * weights).sum());
  set_state("weight_" + slot(), weights.sum());
}

Tensor RunningAggregator::total(const char* name) const {
  Tensor sum = zeros({});
  for (std::int64_t i = 0; i < window_; ++i) sum = sum + state(name + ("_" + std::to_string(i)));
  return sum;
}

Value RunningMean::compute_state() const { return total("value") / total("weight"); }

Value RunningSum::compute_state() const { return total("value"); }

}  // namespace taper::metrics
