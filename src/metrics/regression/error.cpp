#include "taper/metrics/regression/error.h"

#include <cmath>

#include "core/check.h"

#include "metrics/regression/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"

namespace taper::metrics {
namespace {

constexpr double kLeastScale = 1.17e-06;  // as in torchmetrics, so that values are equal

}  // namespace

std::pair<Tensor, Tensor> outputs(std::string_view metric, const Tensor& preds,
                                  const Tensor& target, std::int64_t num_outputs) {
  check_same_shape(metric, preds, target);
  if (num_outputs == 1) return {preds.flatten(), target.flatten()};
  if (preds.dim() != 2 || preds.size(1) != num_outputs)
    fail<ShapeError>("{}: got preds of shape {}, expected (N, {})", metric, preds.shape(),
                     num_outputs);
  return {preds, target};
}

void check_columns(std::string_view metric, const Tensor& preds, const Tensor& target,
                   std::int64_t num_outputs) {
  check_same_shape(metric, preds, target);
  const bool fits = num_outputs == 1 ? preds.dim() == 1 || (preds.dim() == 2 && preds.size(1) == 1)
                                     : preds.dim() == 2 && preds.size(1) == num_outputs;
  if (!fits)
    fail<ShapeError>("{}: got preds of shape {}, expected {}", metric, preds.shape(),
                     num_outputs == 1 ? std::string("(N) or (N, 1)")
                                      : "(N, " + std::to_string(num_outputs) + ")");
}

Tensor safe_xlogy(const Tensor& x, const Tensor& y) { return (x * y.log()).masked_fill(x == 0, 0); }

void RegressionMetric::update_state(const Tensor& preds, const Tensor& target) {
  // Differences of integers could leave the range of their type.
  const auto floating = [](const Tensor& t) {
    return is_floating_point(t.dtype()) ? t : t.to(default_dtype());
  };
  add_batch(floating(preds), floating(target));
}

MeanErrorMetric::MeanErrorMetric(std::string_view name, std::string sum_name,
                                 std::int64_t num_outputs)
    : name_(name), sum_name_(std::move(sum_name)), num_outputs_(num_outputs) {
  check_at_least(name, "num_outputs", num_outputs, 0);
  add_state(sum_name_, zeros(num_outputs > 1 ? Shape{num_outputs} : Shape{}));
  add_state("total", zeros({}, {.dtype = DType::i64}));
}

void MeanErrorMetric::add_batch(const Tensor& preds, const Tensor& target) {
  check_same_shape(name_, preds, target);
  const auto [p, t] = outputs(name_, preds, target, num_outputs_ > 0 ? num_outputs_ : 1);
  accumulate(sum_name_, errors(p, t).sum(Dims{0}));
  accumulate("total", full({}, t.size(0)));
}

Tensor MeanErrorMetric::compute_score() const { return state(sum_name_) / state("total"); }

Tensor MeanSquaredError::errors(const Tensor& preds, const Tensor& target) const {
  return (preds - target).square();
}

Tensor MeanSquaredError::compute_score() const {
  const Tensor mean = MeanErrorMetric::compute_score();
  return squared_ ? mean : mean.sqrt();
}

Tensor MeanAbsoluteError::errors(const Tensor& preds, const Tensor& target) const {
  return (preds - target).abs();
}

LogCoshError::LogCoshError(const RegressionOptions& options)
    : MeanErrorMetric("LogCoshError", "sum_log_cosh_error", options.num_outputs) {}

Tensor LogCoshError::errors(const Tensor& preds, const Tensor& target) const {
  // log(cosh(d)) without overflow.
  const Tensor d = (preds - target).abs();
  return d + (-2 * d).exp().log1p() - std::log(2.0);
}

Tensor MeanSquaredLogError::errors(const Tensor& preds, const Tensor& target) const {
  return (preds.log1p() - target.log1p()).square();
}

Tensor MeanAbsolutePercentageError::errors(const Tensor& preds, const Tensor& target) const {
  return (preds - target).abs() / target.abs().clamp_min(kLeastScale);
}

Tensor SymmetricMeanAbsolutePercentageError::errors(const Tensor& preds,
                                                    const Tensor& target) const {
  return 2 * ((preds - target).abs() / (target.abs() + preds.abs()).clamp_min(kLeastScale));
}

TweedieDevianceScore::TweedieDevianceScore(FloatArg power)
    : MeanErrorMetric("TweedieDevianceScore", "sum_deviance_score"), power_(power) {
  if (power_ > 0 && power_ < 1)
    fail<ValueError>("TweedieDevianceScore: undefined for power {}", power_);
}

Tensor TweedieDevianceScore::errors(const Tensor& preds, const Tensor& target) const {
  if (power_ == 0) return (target - preds).square();
  const auto check = [&](const char* name, const Tensor& valid) {
    if (!valid.all().item<bool>())
      fail<ValueError>("TweedieDevianceScore: {} outside of the domain for power {}", name, power_);
  };
  check("preds", preds > 0);
  if (power_ >= 1) check("target", power_ < 2 ? target >= 0 : target > 0);
  if (power_ == 1) return 2 * (safe_xlogy(target, target / preds) + preds - target);
  if (power_ == 2) return 2 * ((preds / target).log() + target / preds - 1);
  const double a = 1 - power_, b = 2 - power_;
  return 2 * (target.clamp_min(0).pow(b) / (a * b) - target * preds.pow(a) / a + preds.pow(b) / b);
}

WeightedMeanAbsolutePercentageError::WeightedMeanAbsolutePercentageError() {
  add_state("sum_abs_error", zeros({}));
  add_state("sum_scale", zeros({}));
}

void WeightedMeanAbsolutePercentageError::add_batch(const Tensor& preds, const Tensor& target) {
  check_same_shape(type_name(), preds, target);
  accumulate("sum_abs_error", (preds - target).abs().sum());
  accumulate("sum_scale", target.abs().sum());
}

Tensor WeightedMeanAbsolutePercentageError::compute_score() const {
  return state("sum_abs_error") / state("sum_scale").clamp_min(kLeastScale);
}

MinkowskiDistance::MinkowskiDistance(FloatArg p) : p_(p) {
  if (!(p_ >= 1)) fail<ValueError>("MinkowskiDistance: invalid p: got {}, expected p >= 1", p_);
  add_state("minkowski_dist_sum", zeros({}));
}

void MinkowskiDistance::add_batch(const Tensor& preds, const Tensor& target) {
  check_same_shape(type_name(), preds, target);
  accumulate("minkowski_dist_sum", (preds - target).abs().pow(p_).sum());
}

Tensor MinkowskiDistance::compute_score() const { return state("minkowski_dist_sum").pow(1 / p_); }

}  // namespace taper::metrics
