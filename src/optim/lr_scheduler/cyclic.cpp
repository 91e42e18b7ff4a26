#include "taper/optim/lr_scheduler/cyclic.h"

#include "optim/lr_scheduler/arithmetic.h"
#include "optim/lr_scheduler/groups.h"
#include "optim/lr_scheduler/per_group.h"

namespace taper::optim::lr_scheduler {
namespace {

void check_mode(const std::string& mode, bool has_scale_fn) {
  if (!has_scale_fn && mode != "triangular" && mode != "triangular2" && mode != "exp_range")
    fail<ValueError>("mode is invalid and scale_fn is None");
}

}  // namespace

CyclicLR::CyclicLR(Optimizer& optimizer, const PerGroup& base_lr, const PerGroup& max_lr,
                   const CyclicLROptions& o)
    : LRScheduler(optimizer, o.last_epoch),
      max_lrs(numbers_per_group("max_lr", optimizer, max_lr)),
      mode(o.mode),
      gamma(o.gamma),
      scale_mode(o.scale_mode),
      cycle_momentum(o.cycle_momentum),
      scale_fn_custom_(o.scale_fn),
      initial_lrs_(numbers_per_group("base_lr", optimizer, base_lr)) {
  const auto steps_up = static_cast<double>(o.step_size_up);
  total_size = steps_up + static_cast<double>(o.step_size_down.value_or(o.step_size_up));
  step_ratio = divide(steps_up, total_size, "CyclicLR: step_size_up + step_size_down is 0");
  check_mode(mode, static_cast<bool>(scale_fn_custom_));
  init_scale_mode();
  if (cycle_momentum) {
    use_beta1 = has_betas(optimizer);
    base_momentums = numbers_per_group("base_momentum", optimizer, o.base_momentum);
    max_momentums = numbers_per_group("max_momentum", optimizer, o.max_momentum);
  }
  start();
  base_lrs = initial_lrs_;
}

void CyclicLR::prepare_groups() {
  if (last_epoch != -1) return;
  const auto& groups = optimizer().param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    set_number_option(groups[i], "lr", initial_lrs_[i]);
    if (!cycle_momentum) continue;
    set_momentum(groups[i], max_momentums[i], use_beta1);
    groups[i]["max_momentum"] = max_momentums[i];
    groups[i]["base_momentum"] = base_momentums[i];
  }
}

double CyclicLR::scale_fn(double x) const {
  if (scale_fn_custom_) return scale_fn_custom_(x);
  if (mode == "triangular") return 1;
  return mode == "triangular2" ? 1 / power(2, x - 1) : power(gamma, x);
}

void CyclicLR::init_scale_mode() {
  if (!scale_fn_custom_) scale_mode = mode == "exp_range" ? "iterations" : "cycle";
}

CyclicLR::Position CyclicLR::position() const {
  const auto t = static_cast<double>(last_epoch);
  const double cycles = divide(t, total_size, "CyclicLR.step: total_size is 0");
  const double cycle = std::floor(1 + cycles), x = 1 + cycles - cycle;
  const double height = x <= step_ratio
                            ? divide(x, step_ratio, "CyclicLR.step: step_size_up is 0")
                            : divide(x - 1, step_ratio - 1, "CyclicLR.step: step_size_down is 0");
  return {height, scale_fn(scale_mode == "cycle" ? cycle : t)};
}

std::vector<double> CyclicLR::compute_lr() const {
  const Position cycle_position = position();
  if (base_lrs.size() != max_lrs.size())
    fail<ValueError>("CyclicLR.step: got {} base_lrs and {} max_lrs", base_lrs.size(),
                     max_lrs.size());
  std::vector<double> rates = base_lrs;
  for (std::size_t i = 0; i < rates.size(); ++i)
    rates[i] =
        base_lrs[i] + (max_lrs[i] - base_lrs[i]) * cycle_position.height * cycle_position.scale;
  return rates;
}

Momenta CyclicLR::compute_momentum() const {
  if (!cycle_momentum) return {};
  const Position cycle_position = position();
  if (base_momentums.size() != max_momentums.size())
    fail<ValueError>("CyclicLR.step: got {} base_momentums and {} max_momentums",
                     base_momentums.size(), max_momentums.size());
  Momenta momenta{max_momentums, use_beta1};
  for (std::size_t i = 0; i < max_momentums.size(); ++i)
    momenta.values[i] = max_momentums[i] - (max_momentums[i] - base_momentums[i]) *
                                               cycle_position.height * cycle_position.scale;
  return momenta;
}

void CyclicLR::visit_state(StateFields& field) {
  field("max_lrs", max_lrs);
  field("total_size", total_size);
  field("step_ratio", step_ratio);
  field("mode", mode);
  field("gamma", gamma);
  field("scale_mode", scale_mode);
  field("cycle_momentum", cycle_momentum);
  if (cycle_momentum) {
    field("use_beta1", use_beta1);
    field("base_momentums", base_momentums);
    field("max_momentums", max_momentums);
  }
  LRScheduler::visit_state(field);
  field.function("_scale_fn_custom", scale_fn_custom_.state(),
                 [this](const Value& state) { scale_fn_custom_.load_state(state); });
  init_scale_mode();
}

void CyclicLR::check_state(const Value& state) const {
  if (const Value* loaded = state.find("mode"))
    check_mode(loaded->as_string(), static_cast<bool>(scale_fn_custom_));
}

}  // namespace taper::optim::lr_scheduler
