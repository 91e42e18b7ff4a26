#include "taper/optim/lr_scheduler/make.h"

#include "optim/option_reader.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/swa_lr.h"

namespace taper::optim::lr_scheduler {
namespace {

using SchedulerPtr = std::unique_ptr<LRScheduler>;

SchedulerPtr make_constant(Optimizer& optimizer, OptionReader& r) {
  ConstantLROptions o;
  r("factor", o.factor)("total_iters", o.total_iters)("last_epoch", o.last_epoch)
      .reject_unread_options();
  return std::make_unique<ConstantLR>(optimizer, o);
}
SchedulerPtr make_linear(Optimizer& optimizer, OptionReader& r) {
  LinearLROptions o;
  r("start_factor", o.start_factor)("end_factor", o.end_factor)("total_iters", o.total_iters);
  r("last_epoch", o.last_epoch).reject_unread_options();
  return std::make_unique<LinearLR>(optimizer, o);
}
SchedulerPtr make_step(Optimizer& optimizer, OptionReader& r) {
  std::int64_t step_size = 0;
  StepLROptions o;
  r.required("step_size", step_size)("gamma", o.gamma)("last_epoch", o.last_epoch)
      .reject_unread_options();
  return std::make_unique<StepLR>(optimizer, step_size, o);
}
SchedulerPtr make_multi_step(Optimizer& optimizer, OptionReader& r) {
  std::vector<std::int64_t> milestones;
  StepLROptions o;
  r.required("milestones", milestones)("gamma", o.gamma)("last_epoch", o.last_epoch)
      .reject_unread_options();
  return std::make_unique<MultiStepLR>(optimizer, milestones, o);
}
SchedulerPtr make_exponential(Optimizer& optimizer, OptionReader& r) {
  double gamma = 1;
  std::int64_t last_epoch = -1;
  r.required("gamma", gamma)("last_epoch", last_epoch).reject_unread_options();
  return std::make_unique<ExponentialLR>(optimizer, gamma, last_epoch);
}
SchedulerPtr make_polynomial(Optimizer& optimizer, OptionReader& r) {
  PolynomialLROptions o;
  r("total_iters", o.total_iters)("power", o.power)("last_epoch", o.last_epoch)
      .reject_unread_options();
  return std::make_unique<PolynomialLR>(optimizer, o);
}
SchedulerPtr make_cosine(Optimizer& optimizer, OptionReader& r) {
  std::int64_t T_max = 0;
  CosineAnnealingLROptions o;
  r.required("T_max", T_max)("eta_min", o.eta_min)("last_epoch", o.last_epoch)
      .reject_unread_options();
  return std::make_unique<CosineAnnealingLR>(optimizer, T_max, o);
}
SchedulerPtr make_restarts(Optimizer& optimizer, OptionReader& r) {
  std::int64_t T_0 = 0;
  CosineAnnealingWarmRestartsOptions o;
  r.required("T_0", T_0)("T_mult", o.T_mult)("eta_min", o.eta_min);
  r("last_epoch", o.last_epoch).reject_unread_options();
  return std::make_unique<CosineAnnealingWarmRestarts>(optimizer, T_0, o);
}
SchedulerPtr make_cyclic(Optimizer& optimizer, OptionReader& r) {
  PerGroup base_lr = 0, max_lr = 0;
  CyclicLROptions o;
  r.required("base_lr", base_lr).required("max_lr", max_lr)("step_size_up", o.step_size_up);
  r("step_size_down", o.step_size_down)("mode", o.mode)("gamma", o.gamma);
  r("scale_mode", o.scale_mode)("cycle_momentum", o.cycle_momentum);
  r("base_momentum", o.base_momentum)("max_momentum", o.max_momentum);
  r("last_epoch", o.last_epoch).reject_unread_options();
  return std::make_unique<CyclicLR>(optimizer, base_lr, max_lr, o);
}
SchedulerPtr make_one_cycle(Optimizer& optimizer, OptionReader& r) {
  PerGroup max_lr = 0;
  OneCycleLROptions o;
  r.required("max_lr", max_lr)("total_steps", o.total_steps)("epochs", o.epochs);
  r("steps_per_epoch", o.steps_per_epoch)("pct_start", o.pct_start);
  r("anneal_strategy", o.anneal_strategy)("cycle_momentum", o.cycle_momentum);
  r("base_momentum", o.base_momentum)("max_momentum", o.max_momentum)("div_factor", o.div_factor);
  r("final_div_factor", o.final_div_factor)("three_phase", o.three_phase);
  r("last_epoch", o.last_epoch).reject_unread_options();
  return std::make_unique<OneCycleLR>(optimizer, max_lr, o);
}
SchedulerPtr make_plateau(Optimizer& optimizer, OptionReader& r) {
  ReduceLROnPlateauOptions o;
  r("mode", o.mode)("factor", o.factor)("patience", o.patience)("threshold", o.threshold);
  r("threshold_mode", o.threshold_mode)("cooldown", o.cooldown)("min_lr", o.min_lr);
  r("eps", o.eps).reject_unread_options();
  return std::make_unique<ReduceLROnPlateau>(optimizer, o);
}
SchedulerPtr make_swa(Optimizer& optimizer, OptionReader& r) {
  PerGroup swa_lr = 0;
  SWALROptions o;
  r.required("swa_lr", swa_lr)("anneal_epochs", o.anneal_epochs);
  r("anneal_strategy", o.anneal_strategy)("last_epoch", o.last_epoch).reject_unread_options();
  return std::make_unique<SWALR>(optimizer, swa_lr, o);
}

struct FactoryEntry {
  std::string_view name;
  SchedulerPtr (*create)(Optimizer& optimizer, OptionReader& r);
};

constexpr FactoryEntry kFactories[] = {{"ConstantLR", make_constant},
                                       {"CosineAnnealingLR", make_cosine},
                                       {"CosineAnnealingWarmRestarts", make_restarts},
                                       {"CyclicLR", make_cyclic},
                                       {"ExponentialLR", make_exponential},
                                       {"LinearLR", make_linear},
                                       {"MultiStepLR", make_multi_step},
                                       {"OneCycleLR", make_one_cycle},
                                       {"PolynomialLR", make_polynomial},
                                       {"ReduceLROnPlateau", make_plateau},
                                       {"SWALR", make_swa},
                                       {"StepLR", make_step}};

}  // namespace

SchedulerPtr make(std::string_view name, Optimizer& optimizer, const Value& options) {
  for (const FactoryEntry& factory : kFactories)
    if (factory.name == name) {
      OptionReader reader(name, options);
      return factory.create(optimizer, reader);
    }
  fail<AttributeError>("lr_scheduler.make: unknown scheduler '{}', expected one of {}", name,
                       join_names(scheduler_names()));
}

std::vector<std::string_view> scheduler_names() {
  std::vector<std::string_view> names;
  for (const FactoryEntry& factory : kFactories) names.push_back(factory.name);
  return names;
}

}  // namespace taper::optim::lr_scheduler
