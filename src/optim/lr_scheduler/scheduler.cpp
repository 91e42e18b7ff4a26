#include "taper/optim/lr_scheduler/scheduler.h"

#include "optim/flag_guard.h"
#include "optim/lr_scheduler/groups.h"
#include "taper/core/warning.h"

namespace taper::optim::lr_scheduler {
namespace {

constexpr const char* kStepOrderWarning =
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, "
    "you should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  "
    "Failure to do this will result in PyTorch skipping the first value of the learning rate "
    "schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate";
constexpr const char* kGetLrWarning =
    "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.";
constexpr const char* kMissingInitialLr =
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with "
    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
    "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 "
    "for a fresh training run (not recommended)";

}  // namespace

LRScheduler::LRScheduler(Optimizer& optimizer, std::int64_t last_epoch_)
    : last_epoch(last_epoch_), optimizer_(optimizer), unknown_(Value::dict()) {
  if (last_epoch == -1) return;
  const auto& groups = optimizer.param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!groups[i].options().contains("initial_lr")) fail<KeyError>(kMissingInitialLr, i);
}
LRScheduler::LRScheduler(Optimizer& optimizer, std::int64_t last_epoch_, NotCounted)
    : last_epoch(last_epoch_), optimizer_(optimizer), step_count_(-1), unknown_(Value::dict()) {
  store_last_lr();
}
LRScheduler::~LRScheduler() = default;

void LRScheduler::start() {
  GroupBackup backup(optimizer_);
  prepare_groups();
  if (last_epoch == -1)
    for (const ParamGroup& group : optimizer_.param_groups())
      if (!group.options().contains("initial_lr")) {
        const Value& lr = option(group, "lr");
        group["initial_lr"] = lr.is_tensor() ? Value(lr.as_tensor().detach().clone()) : Value(lr);
      }
  base_lrs = group_numbers("initial_lr");
  if (!optimizer_.has_scheduler_) optimizer_.step_called_ = false;
  optimizer_.has_scheduler_ = true;
  initial_step();
  backup.commit();
}

void LRScheduler::initial_step() {
  step_count_ = 0;
  const FlagGuard guard(is_initial_);
  step();
}

void LRScheduler::step(std::optional<Scalar> epoch) {
  if (epoch && epoch->to_double() != static_cast<double>(epoch->to_int()))
    fail<ValueError>("{}.step: epoch must be an integer, got {}", type_name(), *epoch);
  if (step_count_ == 1 && !optimizer_.step_called_) warn(kStepOrderWarning);
  if (epoch) warn_epoch_deprecated();
  ++step_count_;
  try {
    update_lr(epoch ? std::optional(epoch->to_int()) : std::nullopt);
  } catch (...) {
    --step_count_;
    throw;
  }
}

void LRScheduler::update_lr(std::optional<std::int64_t> epoch) {
  const std::int64_t before = last_epoch;
  try {
    last_epoch = epoch ? *epoch : last_epoch + 1;
    const FlagGuard guard(in_step_);
    std::optional<std::vector<double>> rates;
    if (epoch) rates = closed_form_lr();
    assign(rates ? *rates : compute_lr(), compute_momentum());
  } catch (...) {
    last_epoch = before;
    throw;
  }
}

void LRScheduler::assign(const std::vector<double>& rates, const Momenta& momenta) {
  const auto& groups = optimizer_.param_groups();
  const auto check = [&](std::size_t count, const char* what) {
    if (count != groups.size())
      fail<ValueError>(
          "{}.step: number of {} differs from that of parameter groups: got {}, "
          "expected {}",
          type_name(), what, count, groups.size());
  };
  check(rates.size(), "learning rates");
  if (!momenta.values.empty()) check(momenta.values.size(), "momenta");
  for (const ParamGroup& group : groups) {  // throws before any assignment
    (void)option(group, "lr");
    if (momenta.use_beta1) (void)option(group, "betas");
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!momenta.values.empty()) set_momentum(groups[i], momenta.values[i], momenta.use_beta1);
    set_number_option(groups[i], "lr", rates[i]);
  }
  store_last_lr();
}

std::vector<double> LRScheduler::get_lr() const {
  if (!in_step_) warn(kGetLrWarning);
  return compute_lr();
}
std::optional<std::vector<double>> LRScheduler::closed_form_lr() const { return {}; }
Momenta LRScheduler::compute_momentum() const { return {}; }

std::vector<double> LRScheduler::group_numbers(std::string_view name) const {
  std::vector<double> numbers;
  for (const ParamGroup& group : optimizer_.param_groups())
    numbers.push_back(number_option(group, name));
  return numbers;
}
std::vector<double> LRScheduler::scaled_lr(double factor) const {
  std::vector<double> rates = group_numbers("lr");
  for (double& lr : rates) lr *= factor;
  return rates;
}

}  // namespace taper::optim::lr_scheduler
