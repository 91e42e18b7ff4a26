#include "taper/optim/lr_scheduler/plateau.h"

#include <limits>

#include "optim/lr_scheduler/groups.h"

namespace taper::optim::lr_scheduler {
namespace {

void check_modes(const std::string& mode, const std::string& threshold_mode) {
  if (mode != "min" && mode != "max") fail<ValueError>("mode {} is unknown!", mode);
  if (threshold_mode != "rel" && threshold_mode != "abs")
    fail<ValueError>("threshold mode {} is unknown!", threshold_mode);
}

/// Returns the worst value of a metric: infinity for mode "min", otherwise -infinity.
double worst(const std::string& mode) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return mode == "min" ? kInfinity : -kInfinity;
}

}  // namespace

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, const ReduceLROnPlateauOptions& o)
    : LRScheduler(optimizer, 0, NotCounted()),
      factor(o.factor),
      patience(o.patience),
      cooldown(o.cooldown),
      eps(o.eps),
      mode(o.mode),
      threshold(o.threshold),
      threshold_mode(o.threshold_mode),
      best(worst(o.mode)) {
  if (factor >= 1) fail<ValueError>("Factor should be < 1.0.");
  const std::size_t groups = optimizer.param_groups().size();
  min_lrs = o.min_lr.numbers();
  if (!o.min_lr.is_list()) {
    default_min_lr = min_lrs[0];
    min_lrs.assign(groups, *default_min_lr);
  } else if (min_lrs.size() != groups) {
    fail<ValueError>("expected {} min_lrs, got {}", groups, min_lrs.size());
  }
  check_modes(mode, threshold_mode);
}

void ReduceLROnPlateau::step(std::optional<Scalar> metrics) {
  if (!metrics)
    fail<TypeError>("ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'");
  step_with_metric(metrics->to_double(), last_epoch + 1);
}
void ReduceLROnPlateau::step(const Scalar& metrics, std::int64_t epoch) {
  warn_epoch_deprecated();
  step_with_metric(metrics.to_double(), epoch);
}

void ReduceLROnPlateau::step_with_metric(double metrics, std::int64_t epoch) {
  const bool better = is_better(metrics);
  std::int64_t bad_epochs = better || in_cooldown() ? 0 : num_bad_epochs + 1;
  const bool should_reduce = bad_epochs > patience;
  if (should_reduce) reduce_lr();
  if (better) best = metrics;
  last_epoch = epoch;
  if (in_cooldown()) --cooldown_counter;
  if (should_reduce) cooldown_counter = cooldown;
  num_bad_epochs = should_reduce ? 0 : bad_epochs;
  store_last_lr();
}

bool ReduceLROnPlateau::is_better(double metrics) const {
  if (mode == "min")
    return metrics < (threshold_mode == "rel" ? best * (1 - threshold) : best - threshold);
  return metrics > (threshold_mode == "rel" ? best * (threshold + 1) : best + threshold);
}

void ReduceLROnPlateau::reduce_lr() {
  const auto& groups = optimizer().param_groups();
  if (groups.size() != min_lrs.size()) {
    if (!default_min_lr)
      fail<RuntimeError>(
          "The number of param groups in the `optimizer` ({}) differs from when "
          "`ReduceLROnPlateau` was initialized ({}), usually due to a new param group being added "
          "to the optimizer. Please modify the `min_lrs` field to match the length of the "
          "`optimizer` param groups.",
          groups.size(), min_lrs.size());
    min_lrs.assign(groups.size(), *default_min_lr);
  }
  const std::vector<double> rates = group_numbers("lr");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double reduced = std::max(rates[i] * factor, min_lrs[i]);
    if (rates[i] - reduced > eps) set_number_option(groups[i], "lr", reduced);
  }
}

std::vector<double> ReduceLROnPlateau::compute_lr() const {
  fail<NotImplementedError>("ReduceLROnPlateau.get_lr: the rates depend on the metric");
}

void ReduceLROnPlateau::visit_state(StateFields& field) {
  field("factor", factor);
  field("default_min_lr", default_min_lr);
  field("min_lrs", min_lrs);
  field("patience", patience);
  field("cooldown", cooldown);
  field("eps", eps);
  field("last_epoch", last_epoch);
  field("_last_lr", last_lr_);
  double mode_worse =
      worst(mode);  // saved as in PyTorch; not loaded, because it follows from `mode`
  field("mode_worse", mode_worse);
  field("mode", mode);
  field("threshold", threshold);
  field("threshold_mode", threshold_mode);
  field("best", best);
  field("cooldown_counter", cooldown_counter);
  field("num_bad_epochs", num_bad_epochs);
}

void ReduceLROnPlateau::check_state(const Value& state) const {
  const auto string_or = [&](const char* name, const std::string& otherwise) {
    const Value* loaded = state.find(name);
    return loaded ? loaded->as_string() : otherwise;
  };
  check_modes(string_or("mode", mode), string_or("threshold_mode", threshold_mode));
}

}  // namespace taper::optim::lr_scheduler
