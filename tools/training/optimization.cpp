#include "optimization.h"

#include "core/check.h"
#include "schedule.h"
#include "taper/optim/make.h"

namespace training {

using taper::Tensor;
using taper::Value;
using taper::optim::lr_scheduler::SchedulerRef;

namespace {

/// Returns the options of the optimizer. Only the defaults of SGD are those of a run.
Value options_of(const Settings& s) {
  const bool sgd = s.optimizer == "SGD";
  const Value options = Value::dict();
  const auto set = [&](const char* name, const std::optional<double>& given, double sgd_default) {
    if (given || sgd) options[name] = given.value_or(sgd_default);
  };
  set("lr", s.lr, 0.05);
  set("momentum", s.momentum, 0.9);
  set("weight_decay", s.weight_decay, 5e-4);
  if (s.optimizer == "LBFGS") options["line_search_fn"] = "strong_wolfe";
  return options;
}

}  // namespace

Optimization::Optimization(const Settings& settings, const std::vector<Tensor>& params,
                           std::int64_t steps_per_epoch)
    : is_stepped_per_batch_(is_stepped_per_batch(settings.schedule)) {
  Value options = options_of(settings);
  if (settings.optimizer == "Muon") {
    std::vector<Tensor> matrices, non_matrices;
    for (const Tensor& p : params) (p.dim() == 2 ? matrices : non_matrices).push_back(p);
    if (matrices.empty())
      taper::fail<taper::ValueError>(
          "Muon: the network has no matrices among its parameters. Use another optimizer");
    Value adamw_options = options.as_dict().copy();
    adamw_options.as_dict().erase("momentum");
    options["adjust_lr_fn"] = "match_rms_adamw";
    add_optimizer("Muon", std::move(matrices), options);
    if (!non_matrices.empty()) add_optimizer("AdamW", std::move(non_matrices), adamw_options);
  } else {
    add_optimizer(settings.optimizer, params, options);
  }
  if (settings.schedule.empty()) return;
  for (ScheduledOptimizer& entry : optimizers_)
    entry.scheduler =
        make_schedule(settings.schedule, *entry.optimizer, {settings.epochs, steps_per_epoch});
}

void Optimization::add_optimizer(const std::string& name, std::vector<Tensor> params,
                                 const Value& options) {
  optimizers_.push_back({taper::optim::make(name, std::move(params), options), nullptr});
}

std::vector<taper::optim::Optimizer*> Optimization::optimizers() const {
  std::vector<taper::optim::Optimizer*> all;
  for (const ScheduledOptimizer& entry : optimizers_) all.push_back(entry.optimizer.get());
  return all;
}

std::vector<SchedulerRef> Optimization::schedulers(bool per_batch) const {
  std::vector<SchedulerRef> found;
  for (const ScheduledOptimizer& entry : optimizers_)
    if (entry.scheduler && is_stepped_per_batch_ == per_batch) found.emplace_back(entry.scheduler);
  return found;
}
std::vector<SchedulerRef> Optimization::schedulers_per_epoch() const { return schedulers(false); }
std::vector<SchedulerRef> Optimization::schedulers_per_batch() const { return schedulers(true); }

double Optimization::lr() const { return optimizers_[0].optimizer->defaults()["lr"].as_double(); }

}  // namespace training
