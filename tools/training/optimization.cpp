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
  const auto set = [&](const char* name, const std::optional<double>& given, double of_sgd) {
    if (given || sgd) options[name] = given.value_or(of_sgd);
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
    : counts_batches_(counts_batches(settings.schedule)) {
  Value options = options_of(settings);
  if (settings.optimizer == "Muon") {
    std::vector<Tensor> matrices, others;
    for (const Tensor& p : params) (p.dim() == 2 ? matrices : others).push_back(p);
    if (matrices.empty())
      taper::fail<taper::ValueError>(
          "Muon: the network has no matrices among its parameters. Use another optimizer");
    Value of_others = options.as_dict().copy();
    of_others.as_dict().erase("momentum");
    options["adjust_lr_fn"] = "match_rms_adamw";
    add("Muon", std::move(matrices), options);
    if (!others.empty()) add("AdamW", std::move(others), of_others);
  } else {
    add(settings.optimizer, params, options);
  }
  if (settings.schedule.empty()) return;
  for (Part& part : parts_)
    part.scheduler =
        make_schedule(settings.schedule, *part.optimizer, {settings.epochs, steps_per_epoch});
}

void Optimization::add(const std::string& name, std::vector<Tensor> params, const Value& options) {
  parts_.push_back({taper::optim::make(name, std::move(params), options), nullptr});
}

void Optimization::zero_grad() {
  for (const Part& part : parts_) part.optimizer->zero_grad();
}

Tensor Optimization::step(const taper::SharedFunction<Tensor()>& closure) {
  Tensor loss = parts_[0].optimizer->step(closure);
  for (std::size_t i = 1; i < parts_.size(); ++i) parts_[i].optimizer->step();
  if (counts_batches_)
    for (const Part& part : parts_) part.scheduler->step();
  return loss;
}

void Optimization::finish_epoch(double test_loss) {
  if (counts_batches_) return;
  for (const Part& part : parts_) {
    if (!part.scheduler) continue;
    const bool monitors = part.scheduler->type_name() == "ReduceLROnPlateau";
    part.scheduler->step(monitors ? std::optional<taper::Scalar>(test_loss) : std::nullopt);
  }
}

double Optimization::lr() const { return parts_[0].optimizer->defaults()["lr"].as_double(); }

namespace {

/// Returns the only value, or a list.
Value joined(taper::Values values) {
  return values.size() == 1 ? values[0] : Value::list(std::move(values));
}
const Value& value_of_part(const Value& joined, std::size_t i, std::size_t count) {
  if (count == 1) return joined;
  const taper::Values& list = joined.as_sequence();
  if (list.size() != count)
    taper::fail<taper::ValueError>("number of optimizers: got {}, expected {}", list.size(), count);
  return list[i];
}

}  // namespace

Value Optimization::optimizer_state() {
  taper::Values states;
  for (const Part& part : parts_) states.push_back(part.optimizer->state_dict());
  return joined(std::move(states));
}

Value Optimization::scheduler_state() {
  taper::Values states;
  for (const Part& part : parts_)
    if (part.scheduler) states.push_back(part.scheduler->state_dict());
  return states.empty() ? Value() : joined(std::move(states));
}

void Optimization::load(const Value& optimizer_state, const Value& scheduler_state) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].optimizer->load_state_dict(value_of_part(optimizer_state, i, parts_.size()));
    if (parts_[i].scheduler)
      parts_[i].scheduler->load_state_dict(value_of_part(scheduler_state, i, parts_.size()));
  }
}

}  // namespace training
