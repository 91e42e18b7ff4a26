#include <cmath>
#include <limits>

#include "core/check.h"

#include "metrics/regression/inputs.h"
#include "metrics/support.h"
#include "taper/core/factory.h"
#include "taper/core/finfo.h"
#include "taper/core/warning.h"
#include "taper/metrics/regression/correlation.h"

namespace taper::metrics {

CovarianceMetric::CovarianceMetric(std::string_view name, const RegressionOptions& options)
    : name_(name), num_outputs_(options.num_outputs) {
  check_at_least(name, "num_outputs", num_outputs_, 1);
  for (const char* state : {"mean_x", "mean_y", "var_x", "var_y", "corr_xy", "n_total"})
    add_state(state, zeros({num_outputs_}), Reduction::custom);
  add_state("max_abs_dev_x", zeros({num_outputs_}), Reduction::max);
  add_state("max_abs_dev_y", zeros({num_outputs_}), Reduction::max);
}

void CovarianceMetric::combine(const Tensor& n, const Tensor& mean_x, const Tensor& mean_y,
                               const Tensor& var_x, const Tensor& var_y, const Tensor& corr_xy) {
  const Tensor prior = state("n_total"), total = prior + n;
  const Tensor delta_x = mean_x - state("mean_x"), delta_y = mean_y - state("mean_y");
  const Tensor correction = prior * n / total;
  set_state("mean_x", state("mean_x") + delta_x * n / total);
  set_state("mean_y", state("mean_y") + delta_y * n / total);
  set_state("var_x", state("var_x") + var_x + delta_x.square() * correction);
  set_state("var_y", state("var_y") + var_y + delta_y.square() * correction);
  set_state("corr_xy", state("corr_xy") + corr_xy + delta_x * delta_y * correction);
  set_state("n_total", total);
}

void CovarianceMetric::add_batch(const Tensor& preds, const Tensor& target) {
  check_columns(name_, preds, target, num_outputs_);
  if (preds.size(0) == 0) return;
  const Tensor mean_x = preds.mean(Dims{0}), mean_y = target.mean(Dims{0});
  const Tensor dx = preds - mean_x, dy = target - mean_y;
  combine(full({num_outputs_}, preds.size(0)).to(default_dtype()), mean_x, mean_y,
          dx.square().sum(Dims{0}), dy.square().sum(Dims{0}), (dx * dy).sum(Dims{0}));
  const auto widen = [&](const char* name, const Tensor& t, const Tensor& mean) {
    set_state(name, state(name).maximum((t - mean).abs().amax(Dims{0})));
  };
  widen("max_abs_dev_x", preds, state("mean_x"));
  widen("max_abs_dev_y", target, state("mean_y"));
}

void CovarianceMetric::merge_states(const Metric& other) {
  const auto& o = static_cast<const CovarianceMetric&>(other);
  if ((o.state("n_total") == 0).all().item<bool>()) return;
  combine(o.state("n_total"), o.state("mean_x"), o.state("mean_y"), o.state("var_x"),
          o.state("var_y"), o.state("corr_xy"));
}

Tensor CovarianceMetric::correlation() const {
  const Tensor n = state("n_total") - 1;
  const Tensor &scale_x = state("max_abs_dev_x"), &scale_y = state("max_abs_dev_y");
  // Scaled such that neither small nor large values leave the range of the dtype.
  const Tensor var_x = state("var_x") / n * scale_x.pow(-2);
  const Tensor var_y = state("var_y") / n * scale_y.pow(-2);
  const Tensor corr = state("corr_xy") / n / (scale_x * scale_y);
  const double least = std::sqrt(finfo(var_x.dtype()).eps);
  const Tensor valid =
      (var_x >= least) & (var_y >= least) & var_x.isfinite() & var_y.isfinite() & corr.isfinite();
  if (!valid.all().item<bool>())
    warn(
        format_message("{}: the variance of predictions or targets is close to zero; the "
                       "correlation coefficient is NaN",
                       name_));
  return (corr / (var_x * var_y).sqrt())
      .clamp(-1, 1)
      .masked_fill(~valid, std::numeric_limits<double>::quiet_NaN());
}

Tensor ConcordanceCorrCoef::compute_score() const {
  const Tensor n = state("n_total") - 1;
  const Tensor var_x = state("var_x") / n, var_y = state("var_y") / n;
  return 2 * correlation() * var_x.sqrt() * var_y.sqrt() /
         (var_x + var_y + (state("mean_x") - state("mean_y")).square());
}

}  // namespace taper::metrics
