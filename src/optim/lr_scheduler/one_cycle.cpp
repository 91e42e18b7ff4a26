#include "taper/optim/lr_scheduler/one_cycle.h"

#include "optim/lr_scheduler/arithmetic.h"
#include "optim/lr_scheduler/groups.h"
#include "optim/lr_scheduler/per_group.h"

namespace taper::optim::lr_scheduler {
namespace {

std::int64_t total_steps_of(const OneCycleLROptions& o) {
  const auto check = [](const char* name, std::int64_t n) {
    if (n <= 0) fail<ValueError>("Expected positive integer {}, but got {}", name, n);
    return n;
  };
  if (o.total_steps) return check("total_steps", *o.total_steps);
  if (!o.epochs || !o.steps_per_epoch)
    fail<ValueError>("You must define either total_steps OR (epochs AND steps_per_epoch)");
  return check("epochs", *o.epochs) * check("steps_per_epoch", *o.steps_per_epoch);
}

Value make_phase(const Value& end_step, const char* start_lr, const char* end_lr,
                 const char* start_momentum, const char* end_momentum) {
  return Value::dict({{"end_step", end_step},
                      {"start_lr", start_lr},
                      {"end_lr", end_lr},
                      {"start_momentum", start_momentum},
                      {"end_momentum", end_momentum}});
}

Value make_phases(const OneCycleLROptions& o, std::int64_t total_steps) {
  const auto total = static_cast<double>(total_steps);
  Value phases = Value::list({make_phase(o.pct_start * total - 1, "initial_lr", "max_lr",
                                         "max_momentum", "base_momentum")});
  if (o.three_phase) {
    phases.append(make_phase(2 * o.pct_start * total - 2, "max_lr", "initial_lr", "base_momentum",
                             "max_momentum"));
    phases.append(
        make_phase(total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"));
  } else {
    phases.append(make_phase(total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"));
  }
  return phases;
}

/// Phase that contains a step, and the elapsed fraction of the phase.
struct PhasePosition {
  const Value* phase;
  double pct;
};
PhasePosition find_phase(std::int64_t step, const Values& phases) {
  const auto t = static_cast<double>(step);
  double start = 0;
  for (std::size_t i = 0;; ++i) {
    const double end = phases[i].find("end_step")->as_double();
    if (t <= end || i + 1 == phases.size())
      return {&phases[i], divide(t - start, end - start, "OneCycleLR.step: a phase has no steps")};
    start = end;
  }
}

}  // namespace

OneCycleLR::OneCycleLR(Optimizer& optimizer, const PerGroup& max_lr, const OneCycleLROptions& o)
    : LRScheduler(optimizer, o.last_epoch),
      total_steps(total_steps_of(o)),
      cycle_momentum(o.cycle_momentum),
      schedule_phases_(make_phases(o, total_steps)),
      anneal_func_type_(o.anneal_strategy),
      div_factor_(o.div_factor),
      final_div_factor_(o.final_div_factor) {
  if (o.pct_start < 0 || o.pct_start > 1)
    fail<ValueError>("Expected float between 0 and 1 pct_start, but got {}",
                     python_repr(o.pct_start));
  if (o.anneal_strategy != "cos" && o.anneal_strategy != "linear")
    fail<ValueError>("anneal_strategy must be one of 'cos' or 'linear', instead got {}",
                     o.anneal_strategy);
  max_lrs_ = numbers_per_group("max_lr", optimizer, max_lr);
  if (cycle_momentum) {
    use_beta1 = has_betas(optimizer);
    max_momentums_ = numbers_per_group("max_momentum", optimizer, o.max_momentum);
    base_momentums_ = numbers_per_group("base_momentum", optimizer, o.base_momentum);
  }
  start();
}

void OneCycleLR::prepare_groups() {
  if (last_epoch != -1) return;
  const auto& groups = optimizer().param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double initial = divide(max_lrs_[i], div_factor_, "OneCycleLR: div_factor is 0");
    groups[i]["initial_lr"] = initial;
    groups[i]["max_lr"] = max_lrs_[i];
    groups[i]["min_lr"] = divide(initial, final_div_factor_, "OneCycleLR: final_div_factor is 0");
    if (!cycle_momentum) continue;
    set_momentum(groups[i], max_momentums_[i], use_beta1);
    groups[i]["max_momentum"] = max_momentums_[i];
    groups[i]["base_momentum"] = base_momentums_[i];
  }
}

// Returns, per group, the value at the current step between two options of the group. Their names
// are stored under `start_key` and `end_key` in the current phase.
std::vector<double> OneCycleLR::compute_annealed(const char* start_key, const char* end_key) const {
  if (last_epoch > total_steps)
    fail<ValueError>("Tried to step {} times. The specified number of total steps is {}",
                     last_epoch, total_steps);
  const auto [phase, pct] = find_phase(last_epoch, schedule_phases_.as_sequence());
  const std::vector<double> start = group_numbers(phase->find(start_key)->as_string());
  std::vector<double> values = group_numbers(phase->find(end_key)->as_string());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double from = start[i], to = values[i];
    values[i] = anneal_func_type_ == "cos" ? to + (from - to) / 2 * (std::cos(kPi * pct) + 1)
                                           : (to - from) * pct + from;
  }
  return values;
}

std::vector<double> OneCycleLR::compute_lr() const {
  return compute_annealed("start_lr", "end_lr");
}
Momenta OneCycleLR::compute_momentum() const {
  if (!cycle_momentum) return {};
  return {compute_annealed("start_momentum", "end_momentum"), use_beta1};
}

void OneCycleLR::visit_state(StateFields& field) {
  field("total_steps", total_steps);
  field("_schedule_phases", schedule_phases_);
  field("_anneal_func_type", anneal_func_type_);
  field("cycle_momentum", cycle_momentum);
  if (cycle_momentum) field("use_beta1", use_beta1);
  LRScheduler::visit_state(field);
}

void OneCycleLR::check_state(const Value& state) const {
  if (const Value* type = state.find("_anneal_func_type"))
    if (type->as_string() != "cos" && type->as_string() != "linear")
      fail<ValueError>("Unknown _anneal_func_type: {}", type->as_string());
  const Value* phases = state.find("_schedule_phases");
  if (!phases) return;
  const auto is_phase = [](const Value& v) {
    if (!v.is_dict()) return false;
    const Value* end = v.find("end_step");
    bool valid = end && (end->is_int() || end->is_float());
    for (const char* key : {"start_lr", "end_lr", "start_momentum", "end_momentum"}) {
      const Value* option = v.find(key);
      valid = valid && option && option->is_string();
    }
    return valid;
  };
  bool valid = (phases->is_list() || phases->is_tuple()) && phases->size() > 0;
  if (valid)
    for (const Value& v : phases->as_sequence()) valid = valid && is_phase(v);
  if (!valid)
    fail<ValueError>(
        "OneCycleLR.load_state_dict: invalid '_schedule_phases': got {}, expected a list of phases",
        phases->repr());
}

}  // namespace taper::optim::lr_scheduler
