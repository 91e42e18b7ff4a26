#include "taper/optim/swa_lr.h"

#include <algorithm>

#include "optim/lr_scheduler/arithmetic.h"
#include "optim/lr_scheduler/per_group.h"

namespace taper::optim {
namespace {

void check_strategy(const std::string& strategy) {
  if (strategy != "cos" && strategy != "linear")
    fail<ValueError>("anneal_strategy must be one of 'cos' or 'linear', instead got {}", strategy);
}

}  // namespace

SWALR::SWALR(Optimizer& optimizer, const lr_scheduler::PerGroup& swa_lr,
             const SWALROptions& options)
    : LRScheduler(optimizer, options.last_epoch),
      anneal_epochs(options.anneal_epochs),
      anneal_strategy_(options.anneal_strategy),
      swa_lrs_(lr_scheduler::numbers_per_group("swa_lr", optimizer, swa_lr)) {
  check_strategy(anneal_strategy_);
  if (anneal_epochs < 0)
    fail<ValueError>("anneal_epochs must be equal or greater than 0, got {}", anneal_epochs);
  start();
}

void SWALR::prepare_groups() {
  const auto& groups = optimizer().param_groups();
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i]["swa_lr"] = swa_lrs_[i];
}

double SWALR::anneal_func(double t) const {
  return anneal_strategy_ == "cos" ? (1 - std::cos(lr_scheduler::kPi * t)) / 2 : t;
}

std::vector<double> SWALR::compute_lr() const {
  const std::int64_t steps_taken = step_count() - 1;
  const auto step = static_cast<double>(anneal_epochs == 0 ? std::max<std::int64_t>(1, steps_taken)
                                                           : steps_taken);
  const auto epochs = static_cast<double>(std::max<std::int64_t>(1, anneal_epochs));
  const double before = anneal_func(std::clamp((step - 1) / epochs, 0.0, 1.0));
  const double now = anneal_func(std::clamp(step / epochs, 0.0, 1.0));
  const std::vector<double> swa_lrs = group_numbers("swa_lr");
  std::vector<double> rates = group_numbers("lr");
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double initial =
        before == 1 ? swa_lrs[i] : (rates[i] - before * swa_lrs[i]) / (1 - before);
    rates[i] = swa_lrs[i] * now + initial * (1 - now);
  }
  return rates;
}

void SWALR::visit_state(lr_scheduler::StateFields& field) {
  field("_anneal_strategy", anneal_strategy_);
  field("anneal_epochs", anneal_epochs);
  LRScheduler::visit_state(field);
}

void SWALR::check_state(const Value& state) const {
  if (const Value* loaded = state.find("_anneal_strategy")) check_strategy(loaded->as_string());
}

}  // namespace taper::optim
