#include "taper/optim/lr_scheduler/decay.h"

#include <algorithm>

#include "optim/lr_scheduler/arithmetic.h"

namespace taper::optim::lr_scheduler {
namespace {

std::vector<double> scale_rates(std::vector<double> rates, double factor) {
  for (double& lr : rates) lr *= factor;
  return rates;
}

/// Returns the number of occurrences of each epoch as a dict of class collections.Counter.
Value count_epochs(const std::vector<std::int64_t>& epochs) {
  Value counts = Value::dict();
  counts.as_dict().set_class_name("collections.Counter");
  for (const std::int64_t epoch : epochs) {
    const Value* count = counts.find(epoch);
    counts[epoch] = count ? count->as_int() + 1 : 1;
  }
  return counts;
}

}  // namespace

StepLR::StepLR(Optimizer& optimizer, IntArg step_size_, const StepLROptions& options)
    : LRScheduler(optimizer, options.last_epoch), step_size(step_size_), gamma(options.gamma) {
  start();
}
std::vector<double> StepLR::compute_lr() const {
  if (last_epoch == 0 || !is_multiple(last_epoch, step_size, "StepLR.step: step_size is 0"))
    return group_numbers("lr");
  return scaled_lr(gamma);
}
std::optional<std::vector<double>> StepLR::closed_form_lr() const {
  const std::int64_t steps = floor_divide(last_epoch, step_size, "StepLR.step: step_size is 0");
  return scale_rates(base_lrs, power(gamma, static_cast<double>(steps)));
}
void StepLR::visit_state(StateFields& field) {
  field("step_size", step_size);
  field("gamma", gamma);
  LRScheduler::visit_state(field);
}

MultiStepLR::MultiStepLR(Optimizer& optimizer, const std::vector<std::int64_t>& milestones_,
                         const StepLROptions& options)
    : LRScheduler(optimizer, options.last_epoch),
      milestones(count_epochs(milestones_)),
      gamma(options.gamma) {
  start();
}
std::vector<double> MultiStepLR::compute_lr() const {
  const Value* count = milestones.find(last_epoch);
  return count ? scaled_lr(power(gamma, count->as_double())) : group_numbers("lr");
}
std::optional<std::vector<double>> MultiStepLR::closed_form_lr() const {
  double count = 0;
  for (const auto& [epoch, times] : milestones.as_dict())
    if (epoch.as_double() <= static_cast<double>(last_epoch))
      count += std::max(0.0, times.as_double());
  return scale_rates(base_lrs, power(gamma, count));
}
void MultiStepLR::visit_state(StateFields& field) {
  field("milestones", milestones);
  field("gamma", gamma);
  LRScheduler::visit_state(field);
}
void MultiStepLR::check_state(const Value& state) const {
  const Value* loaded = state.find("milestones");
  if (!loaded) return;
  bool valid = loaded->is_dict();
  if (valid)
    for (const auto& [epoch, times] : loaded->as_dict())
      valid = valid && (epoch.is_int() || epoch.is_float()) && times.is_int();
  if (!valid)
    fail<TypeError>(
        "MultiStepLR.load_state_dict: invalid 'milestones': got {}, expected a dict of "
        "integers",
        loaded->repr());
}

ExponentialLR::ExponentialLR(Optimizer& optimizer, FloatArg gamma_, IntArg last_epoch)
    : LRScheduler(optimizer, last_epoch), gamma(gamma_) {
  start();
}
std::vector<double> ExponentialLR::compute_lr() const {
  return is_initial() ? group_numbers("lr") : scaled_lr(gamma);
}
std::optional<std::vector<double>> ExponentialLR::closed_form_lr() const {
  return scale_rates(base_lrs, power(gamma, static_cast<double>(last_epoch)));
}
void ExponentialLR::visit_state(StateFields& field) {
  field("gamma", gamma);
  LRScheduler::visit_state(field);
}

PolynomialLR::PolynomialLR(Optimizer& optimizer, const PolynomialLROptions& options)
    : LRScheduler(optimizer, options.last_epoch),
      total_iters(options.total_iters),
      power(options.power) {
  start();
}
std::vector<double> PolynomialLR::compute_lr() const {
  if (is_initial() || last_epoch > total_iters) return group_numbers("lr");
  constexpr const char* kZeroDivisor = "PolynomialLR.step: total_iters is 0";
  const auto total = static_cast<double>(total_iters), t = static_cast<double>(last_epoch);
  const double now = 1 - divide(t, total, kZeroDivisor),
               before = 1 - divide(t - 1, total, kZeroDivisor);
  return scaled_lr(lr_scheduler::power(divide(now, before, kZeroDivisor), power));
}
std::optional<std::vector<double>> PolynomialLR::closed_form_lr() const {
  const auto t = static_cast<double>(std::min(total_iters, last_epoch));
  const double remaining =
      1 - divide(t, static_cast<double>(total_iters), "PolynomialLR.step: total_iters is 0");
  return scale_rates(base_lrs, lr_scheduler::power(remaining, power));
}
void PolynomialLR::visit_state(StateFields& field) {
  field("total_iters", total_iters);
  field("power", power);
  LRScheduler::visit_state(field);
}

}  // namespace taper::optim::lr_scheduler
