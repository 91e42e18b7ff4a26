#include "taper/metrics/regression/score.h"

#include <limits>

#include "core/check.h"

#include "metrics/regression/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"

namespace taper::metrics {
namespace {

void check_rows(std::string_view metric, const Tensor& preds, const Tensor& target,
                std::int64_t least, std::int64_t most) {
  check_same_shape(metric, preds, target);
  if (preds.dim() < least || preds.dim() > most)
    fail<ShapeError>("{}: got preds of shape {}, expected {}", metric, preds.shape(),
                     least == 2 ? "(N, D)" : "(N) or (N, K)");
}

void check_multioutput(std::string_view metric, const std::string& value) {
  check_choice(metric, "multioutput", value,
               {"raw_values", "uniform_average", "variance_weighted"});
}

/// Combines the scores of several outputs.
Tensor combine(const Tensor& scores, const Tensor& variances, const std::string& multioutput) {
  if (multioutput == "raw_values") return scores;
  if (multioutput == "uniform_average") return scores.mean();
  return (variances / variances.sum() * scores).sum();
}

/// Returns 1 - numerator / denominator where both are not negligible; 1 where the numerator is, 0
/// where only the denominator is.
Tensor score_of(const Tensor& numerator, const Tensor& denominator, const Tensor& has_numerator,
                const Tensor& has_denominator) {
  const Tensor ones = ones_like(numerator);
  const Tensor scores = (1 - numerator / denominator).where(has_numerator & has_denominator, ones);
  return scores.masked_fill(has_numerator & ~has_denominator, 0);
}

}  // namespace

R2Score::R2Score(const R2ScoreOptions& options) : options_(options) {
  check_at_least(type_name(), "adjusted", options.adjusted, 0);
  check_multioutput(type_name(), options.multioutput);
  for (const char* name : {"sum_squared_error", "sum_error", "residual"})
    add_state(name, zeros({}), Reduction::sum);
  add_state("total", zeros({}, {.dtype = DType::i64}));
}

void R2Score::add_batch(const Tensor& preds, const Tensor& target) {
  check_rows(type_name(), preds, target, 1, 2);
  // The state takes the shape and dtype of the outputs.
  const auto add = [&](const char* name, const Tensor& t) {
    set_state(name, state(name) + t.sum(Dims{0}));
  };
  add("sum_squared_error", target.square());
  add("sum_error", target);
  add("residual", (target - preds).square());
  accumulate("total", full({}, target.size(0)));
}

Tensor R2Score::compute_score() const {
  const auto n = state("total").item<std::int64_t>();
  if (n < 2) fail<ValueError>("R2Score: at least two samples are required, got {}", n);
  const Tensor& residual = state("residual");
  const Tensor mean = state("sum_error") / n;
  const Tensor variance = state("sum_squared_error") - state("sum_error") * mean;
  const auto differs = [](const Tensor& t) { return ~(t.abs() <= 1e-4); };
  const Tensor score = combine(score_of(residual, variance, differs(residual), differs(variance)),
                               variance, options_.multioutput);
  const std::int64_t adjusted = options_.adjusted;
  if (adjusted == 0) return score;
  if (adjusted >= n - 1) {
    warn(
        format_message("R2Score: {} samples are too few for an adjusted score with {} variables; "
                       "the standard score is returned",
                       n, adjusted));
    return score;
  }
  return 1 - (1 - score) * (n - 1) / (n - adjusted - 1);
}

RelativeSquaredError::RelativeSquaredError(const SquaredErrorOptions& options) : options_(options) {
  check_at_least(type_name(), "num_outputs", options.num_outputs, 1);
  const Shape shape = options.num_outputs > 1 ? Shape{options.num_outputs} : Shape{};
  for (const char* name : {"sum_squared_error", "sum_error", "residual"})
    add_state(name, zeros(shape));
  add_state("total", zeros({}, {.dtype = DType::i64}));
}

void RelativeSquaredError::add_batch(const Tensor& preds, const Tensor& target) {
  check_rows(type_name(), preds, target, 1, 2);
  const auto [p, t] = outputs(type_name(), preds, target, options_.num_outputs);
  accumulate("sum_squared_error", t.square().sum(Dims{0}));
  accumulate("sum_error", t.sum(Dims{0}));
  accumulate("residual", (t - p).square().sum(Dims{0}));
  accumulate("total", full({}, t.size(0)));
}

Tensor RelativeSquaredError::compute_score() const {
  const Tensor variance = state("sum_squared_error") - state("sum_error").square() / state("total");
  const Tensor error =
      state("residual") / variance.clamp_min(std::numeric_limits<float>::epsilon());
  return (options_.squared ? error : error.sqrt()).mean();
}

ExplainedVariance::ExplainedVariance(const ExplainedVarianceOptions& options)
    : multioutput_(options.multioutput) {
  check_multioutput(type_name(), multioutput_);
  for (const char* name :
       {"sum_error", "sum_squared_error", "sum_target", "sum_squared_target", "num_obs"})
    add_state(name, zeros({}));
}

void ExplainedVariance::add_batch(const Tensor& preds, const Tensor& target) {
  check_same_shape(type_name(), preds, target);
  const Tensor error = target - preds;
  const auto add = [&](const char* name, const Tensor& t) {
    set_state(name, state(name) + t.sum(Dims{0}));
  };
  add("sum_error", error);
  add("sum_squared_error", error.square());
  add("sum_target", target);
  add("sum_squared_target", target.square());
  accumulate("num_obs", full({}, target.size(0)));
}

Tensor ExplainedVariance::compute_score() const {
  const Tensor& n = state("num_obs");
  const auto variance = [&](const char* sum, const char* squares) {
    return state(squares) / n - (state(sum) / n).square();
  };
  const Tensor unexplained = variance("sum_error", "sum_squared_error");
  const Tensor total = variance("sum_target", "sum_squared_target");
  return combine(score_of(unexplained, total, unexplained != 0, total != 0), total, multioutput_);
}

CosineSimilarity::CosineSimilarity(const CosineSimilarityOptions& options)
    : reduction_(options.reduction) {
  check_choice(type_name(), "reduction", reduction_, {"sum", "mean", "none"});
  add_list("preds");
  add_list("target");
}

void CosineSimilarity::add_batch(const Tensor& preds, const Tensor& target) {
  check_rows(type_name(), preds, target, 2, 2);
  append("preds", preds.to(DType::f32));
  append("target", target.to(DType::f32));
}

Tensor CosineSimilarity::compute_score() const {
  const Tensor p = concatenated("preds"), t = concatenated("target");
  const Tensor similarity = (p * t).sum({-1}) / (p.norm(2, {-1}) * t.norm(2, {-1}));
  if (reduction_ == "none") return similarity;
  return reduction_ == "sum" ? similarity.sum() : similarity.mean();
}

KLDivergence::KLDivergence(const KLDivergenceOptions& options) : options_(options) {
  check_choice(type_name(), "reduction", options.reduction, {"mean", "sum", "none"});
  if (options.reduction == "none")
    add_list("measures");
  else
    add_state("measures", zeros({}));
  add_state("total", zeros({}, {.dtype = DType::i64}));
}

void KLDivergence::add_batch(const Tensor& preds, const Tensor& target) {
  check_rows(type_name(), preds, target, 2, 2);
  Tensor divergence;
  if (options_.log_prob) {
    divergence = (preds.exp() * (preds - target)).sum({-1});
  } else {
    const Tensor p = preds / preds.sum({-1}, true), q = target / target.sum({-1}, true);
    divergence = safe_xlogy(p, p / q).sum({-1});
  }
  if (options_.reduction == "none")
    append("measures", divergence);
  else
    set_state("measures", state("measures") + divergence.sum());
  accumulate("total", full({}, preds.size(0)));
}

Tensor KLDivergence::compute_score() const {
  if (options_.reduction == "none") return concatenated("measures");
  return options_.reduction == "sum" ? state("measures") : state("measures") / state("total");
}

}  // namespace taper::metrics
