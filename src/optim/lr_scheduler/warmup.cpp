#include "taper/optim/lr_scheduler/warmup.h"

#include <algorithm>

#include "optim/lr_scheduler/arithmetic.h"

namespace taper::optim::lr_scheduler {

ConstantLR::ConstantLR(Optimizer& optimizer, const ConstantLROptions& options)
    : LRScheduler(optimizer, options.last_epoch),
      factor(options.factor),
      total_iters(options.total_iters) {
  if (factor > 1 || factor < 0)
    fail<ValueError>("Constant multiplicative factor expected to be between 0 and 1.");
  start();
}
std::vector<double> ConstantLR::compute_lr() const {
  if (last_epoch == 0) return scaled_lr(factor);
  if (last_epoch != total_iters) return group_numbers("lr");
  return scaled_lr(divide(1, factor, "ConstantLR.step: factor is 0"));
}
std::optional<std::vector<double>> ConstantLR::closed_form_lr() const {
  std::vector<double> rates = base_lrs;
  for (double& lr : rates) lr *= factor + (last_epoch >= total_iters ? 1 : 0) * (1 - factor);
  return rates;
}
void ConstantLR::visit_state(StateFields& field) {
  field("factor", factor);
  field("total_iters", total_iters);
  LRScheduler::visit_state(field);
}

LinearLR::LinearLR(Optimizer& optimizer, const LinearLROptions& options)
    : LRScheduler(optimizer, options.last_epoch),
      start_factor(options.start_factor),
      end_factor(options.end_factor),
      total_iters(options.total_iters) {
  if (start_factor > 1 || start_factor <= 0)
    fail<ValueError>(
        "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.");
  if (end_factor > 1 || end_factor < 0)
    fail<ValueError>("Ending multiplicative factor expected to be between 0 and 1.");
  start();
}
std::vector<double> LinearLR::compute_lr() const {
  if (last_epoch == 0) return scaled_lr(start_factor);
  if (is_initial() || last_epoch > total_iters) return group_numbers("lr");
  const double change = end_factor - start_factor;
  const double divisor = static_cast<double>(total_iters) * start_factor +
                         static_cast<double>(last_epoch - 1) * change;
  return scaled_lr(1 + divide(change, divisor, "LinearLR.step: the previous factor is 0"));
}
std::optional<std::vector<double>> LinearLR::closed_form_lr() const {
  const auto t = static_cast<double>(std::min(total_iters, last_epoch));
  const double factor =
      start_factor + divide((end_factor - start_factor) * t, static_cast<double>(total_iters),
                            "LinearLR.step: total_iters is 0");
  std::vector<double> rates = base_lrs;
  for (double& lr : rates) lr *= factor;
  return rates;
}
void LinearLR::visit_state(StateFields& field) {
  field("start_factor", start_factor);
  field("end_factor", end_factor);
  field("total_iters", total_iters);
  LRScheduler::visit_state(field);
}

}  // namespace taper::optim::lr_scheduler
