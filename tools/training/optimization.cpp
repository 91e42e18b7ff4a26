#include "optimization.h"

#include "core/check.h"
#include "schedule.h"
#include "taper/optim/make.h"

namespace training {

using taper::Tensor;
using taper::Value;

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

void Optimization::zero_grad() {
  for (const ScheduledOptimizer& entry : optimizers_) entry.optimizer->zero_grad();
}

Tensor Optimization::step(const taper::SharedFunction<Tensor()>& closure) {
  Tensor loss = optimizers_[0].optimizer->step(closure);
  for (std::size_t i = 1; i < optimizers_.size(); ++i) optimizers_[i].optimizer->step();
  if (is_stepped_per_batch_)
    for (const ScheduledOptimizer& entry : optimizers_) entry.scheduler->step();
  return loss;
}

void Optimization::finish_epoch(double test_loss) {
  if (is_stepped_per_batch_) return;
  for (const ScheduledOptimizer& entry : optimizers_) {
    if (!entry.scheduler) continue;
    const bool is_plateau = entry.scheduler->type_name() == "ReduceLROnPlateau";
    entry.scheduler->step(is_plateau ? std::optional<taper::Scalar>(test_loss) : std::nullopt);
  }
}

double Optimization::lr() const { return optimizers_[0].optimizer->defaults()["lr"].as_double(); }

namespace {

/// Returns the only value, or a list.
Value merge_states(taper::Values values) {
  return values.size() == 1 ? values[0] : Value::list(std::move(values));
}
const Value& state_of_optimizer(const Value& joined, std::size_t i, std::size_t count) {
  if (count == 1) return joined;
  const taper::Values& list = joined.as_sequence();
  if (list.size() != count)
    taper::fail<taper::ValueError>("number of optimizers: got {}, expected {}", list.size(), count);
  return list[i];
}

}  // namespace

Value Optimization::optimizer_state() {
  taper::Values states;
  for (const ScheduledOptimizer& entry : optimizers_)
    states.push_back(entry.optimizer->state_dict());
  return merge_states(std::move(states));
}

Value Optimization::scheduler_state() {
  taper::Values states;
  for (const ScheduledOptimizer& entry : optimizers_)
    if (entry.scheduler) states.push_back(entry.scheduler->state_dict());
  return states.empty() ? Value() : merge_states(std::move(states));
}

void Optimization::load(const Value& optimizer_state, const Value& scheduler_state) {
  for (std::size_t i = 0; i < optimizers_.size(); ++i) {
    optimizers_[i].optimizer->load_state_dict(
        state_of_optimizer(optimizer_state, i, optimizers_.size()));
    if (optimizers_[i].scheduler)
      optimizers_[i].scheduler->load_state_dict(
          state_of_optimizer(scheduler_state, i, optimizers_.size()));
  }
}

}  // namespace training
