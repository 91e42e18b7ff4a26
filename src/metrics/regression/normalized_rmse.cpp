#include <limits>

#include "metrics/regression/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/metrics/regression/error.h"

namespace taper::metrics {

NormalizedRootMeanSquaredError::NormalizedRootMeanSquaredError(
    const NormalizedRootMeanSquaredErrorOptions& options)
    : options_(options) {
  check_choice(type_name(), "normalization", options.normalization, {"mean", "range", "std", "l2"});
  check_at_least(type_name(), "num_outputs", options.num_outputs, 1);
  const Shape shape = options.num_outputs > 1 ? Shape{options.num_outputs} : Shape{};
  const double infinity = std::numeric_limits<double>::infinity();
  add_state("sum_squared_error", zeros(shape));
  add_state("total", zeros({}), Reduction::custom);
  add_state("min_val", full(shape, infinity), Reduction::min);
  add_state("max_val", full(shape, -infinity), Reduction::max);
  add_state("mean_val", zeros(shape), Reduction::custom);
  add_state("var_val", zeros(shape), Reduction::custom);
  add_state("target_squared", zeros(shape));
}

void NormalizedRootMeanSquaredError::add_batch(const Tensor& preds, const Tensor& target) {
  const auto [p, t] = outputs(type_name(), preds, target, options_.num_outputs);
  if (t.size(0) == 0) return;
  accumulate("sum_squared_error", (p - t).square().sum(Dims{0}));
  accumulate("target_squared", t.square().sum(Dims{0}));
  set_state("min_val", state("min_val").minimum(t.amin(Dims{0})));
  set_state("max_val", state("max_val").maximum(t.amax(Dims{0})));
  const Tensor total = state("total") + t.size(0);
  const Tensor mean = (state("total") * state("mean_val") + t.sum(Dims{0})) / total;
  accumulate("var_val", ((t - mean) * (t - state("mean_val"))).sum(Dims{0}));
  set_state("mean_val", mean);
  set_state("total", total);
}

void NormalizedRootMeanSquaredError::merge_states(const Metric& other) {
  const auto& o = static_cast<const NormalizedRootMeanSquaredError&>(other);
  const Tensor n1 = state("total"), n2 = o.state("total"), total = n1 + n2;
  if (n2.item<double>() == 0) return;
  const Tensor m1 = state("mean_val"), m2 = o.state("mean_val");
  const Tensor mean = (n1 * m1 + n2 * m2) / total;
  accumulate("var_val", o.state("var_val") + n1 * (mean - m1).square() + n2 * (mean - m2).square());
  set_state("mean_val", mean);
  set_state("total", total);
}

Tensor NormalizedRootMeanSquaredError::compute_score() const {
  const Tensor& total = state("total");
  const Tensor error = (state("sum_squared_error") / total).sqrt();
  if (options_.normalization == "mean") return error / state("mean_val");
  if (options_.normalization == "range") return error / (state("max_val") - state("min_val"));
  if (options_.normalization == "std") return error / (state("var_val") / total).sqrt();
  return error / state("target_squared").sqrt();
}

}  // namespace taper::metrics
