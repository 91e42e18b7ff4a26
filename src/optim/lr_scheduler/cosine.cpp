#include "taper/optim/lr_scheduler/cosine.h"

#include "optim/lr_scheduler/arithmetic.h"

namespace taper::optim::lr_scheduler {

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, IntArg T_max_,
                                     const CosineAnnealingLROptions& options)
    : LRScheduler(optimizer, options.last_epoch), T_max(T_max_), eta_min(options.eta_min) {
  start();
}

std::vector<double> CosineAnnealingLR::compute_lr() const {
  std::vector<double> rates = group_numbers("lr");
  if (is_initial()) return rates;
  constexpr const char* kZeroDivisor = "CosineAnnealingLR.step: T_max is 0";
  const auto t = static_cast<double>(last_epoch), half_period = static_cast<double>(T_max);
  const bool is_restart = step_count() == 1 && last_epoch > 0;
  const bool rises_from_minimum =
      !is_restart && is_multiple(last_epoch - 1 - T_max, 2 * T_max, kZeroDivisor);
  if ((is_restart || rises_from_minimum) && base_lrs.size() != rates.size())
    fail<ValueError>("CosineAnnealingLR.step: got {} initial rates for {} parameter groups",
                     base_lrs.size(), rates.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    if (is_restart)
      rates[i] = eta_min + (base_lrs[i] - eta_min) *
                               (1 + std::cos(divide(t * kPi, half_period, kZeroDivisor))) / 2;
    else if (rises_from_minimum)  // the quotient below would be 0 / 0
      rates[i] = rates[i] + (base_lrs[i] - eta_min) * (1 - std::cos(kPi / half_period)) / 2;
    else
      rates[i] = divide(1 + std::cos(kPi * t / half_period),
                        1 + std::cos(kPi * (t - 1) / half_period), kZeroDivisor) *
                     (rates[i] - eta_min) +
                 eta_min;
  return rates;
}

std::optional<std::vector<double>> CosineAnnealingLR::closed_form_lr() const {
  const double angle = divide(kPi * static_cast<double>(last_epoch), static_cast<double>(T_max),
                              "CosineAnnealingLR.step: T_max is 0");
  std::vector<double> rates = base_lrs;
  for (double& lr : rates) lr = eta_min + (lr - eta_min) * (1 + std::cos(angle)) / 2;
  return rates;
}

void CosineAnnealingLR::visit_state(StateFields& field) {
  field("T_max", T_max);
  field("eta_min", eta_min);
  LRScheduler::visit_state(field);
}

CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(
    Optimizer& optimizer, IntArg T_0_, const CosineAnnealingWarmRestartsOptions& options)
    : LRScheduler(optimizer, options.last_epoch),
      T_0(T_0_),
      T_i(T_0_),
      T_mult(options.T_mult),
      eta_min(options.eta_min),
      T_cur(options.last_epoch) {
  if (T_0 <= 0) fail<ValueError>("Expected positive integer T_0, but got {}", T_0);
  if (T_mult < 1) fail<ValueError>("Expected integer T_mult >= 1, but got {}", T_mult);
  start();
}

std::vector<double> CosineAnnealingWarmRestarts::compute_lr() const {
  const double angle = kPi * T_cur.to_double() / static_cast<double>(T_i);
  std::vector<double> rates = base_lrs;
  for (double& lr : rates) lr = eta_min + (lr - eta_min) * (1 + std::cos(angle)) / 2;
  return rates;
}

void CosineAnnealingWarmRestarts::step(std::optional<Scalar> epoch) {
  const std::int64_t epoch_before = last_epoch, period_before = T_i;
  const Scalar current_before = T_cur;
  try {
    if (!epoch && last_epoch < 0) epoch = 0;
    if (epoch) {
      update_period(*epoch);
    } else {
      epoch = last_epoch + 1;
      T_cur = T_cur.is_floating() ? Scalar(T_cur.to_double() + 1) : Scalar(T_cur.to_int() + 1);
      if (T_cur.to_double() >= static_cast<double>(T_i)) {
        T_cur = T_cur.is_floating() ? Scalar(std::fmod(T_cur.to_double(), static_cast<double>(T_i)))
                                    : Scalar(T_cur.to_int() % T_i);
        T_i *= T_mult;
      }
    }
    last_epoch = Scalar(std::floor(epoch->to_double())).to_int();
    assign(compute_lr());
  } catch (...) {
    last_epoch = epoch_before, T_i = period_before, T_cur = current_before;
    throw;
  }
}

// Sets T_cur and T_i for an epoch.
void CosineAnnealingWarmRestarts::update_period(const Scalar& epoch) {
  const double t = epoch.to_double(), first_period = static_cast<double>(T_0);
  if (t < 0) fail<ValueError>("Expected non-negative epoch, but got {}", epoch);
  if (!(t >= first_period)) {
    T_i = T_0;
    T_cur = epoch;
  } else if (T_mult == 1) {
    T_cur = epoch.is_floating() ? Scalar(std::fmod(t, first_period)) : Scalar(epoch.to_int() % T_0);
  } else {
    const auto mult = static_cast<double>(T_mult);
    const std::int64_t restarts =
        Scalar(std::log(t / first_period * (mult - 1) + 1) / std::log(mult)).to_int();
    std::int64_t growth = 1;
    for (std::int64_t i = 0; i < restarts; ++i) growth *= T_mult;
    T_cur = t - static_cast<double>(T_0 * (growth - 1)) / (mult - 1);
    T_i = T_0 * growth;
  }
}

void CosineAnnealingWarmRestarts::visit_state(StateFields& field) {
  field("T_0", T_0);
  field("T_i", T_i);
  field("T_mult", T_mult);
  field("eta_min", eta_min);
  field("T_cur", T_cur);
  LRScheduler::visit_state(field);
}

void CosineAnnealingWarmRestarts::check_state(const Value& state) const {
  for (const char* name : {"T_0", "T_i", "T_mult"})
    if (const Value* v = state.find(name); v && v->as_double() < 1)
      fail<ValueError>("Expected positive integer {}, but got {}", name, v->repr());
}

}  // namespace taper::optim::lr_scheduler
