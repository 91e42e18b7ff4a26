#include "training/schedulers.h"

#include <map>

#include "cases/outcome.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/swa_lr.h"
#include "training/fields.h"

namespace taper::oracle {
namespace {

namespace lrs = optim::lr_scheduler;
using MadeScheduler = std::shared_ptr<lrs::LRScheduler>;

/// Arguments of a scheduler in a case. The functions that return an argument require it; `read`
/// leaves the member unchanged if it is absent.
class SchedulerArgs {
 public:
  SchedulerArgs(const Json& object, std::int64_t last_epoch)
      : last_epoch(last_epoch), fields_(object) {}
  const std::int64_t last_epoch;

  const Json& at(const char* name) { return fields_.at(name); }
  double number(const char* name) { return fields_.number(name); }
  std::int64_t integer(const char* name) { return fields_.at(name).get<std::int64_t>(); }
  lrs::PerGroup per_group(const char* name) { return per_group_of(fields_.at(name)); }

  void read(const char* name, FloatArg& member) { member = fields_.number(name, member); }
  void read(const char* name, IntArg& member) {
    if (const Json* v = fields_.find(name)) member = v->get<std::int64_t>();
  }
  void read(const char* name, bool& member) { read_json(name, member); }
  void read(const char* name, std::string& member) { read_json(name, member); }
  void read(const char* name, std::optional<IntArg>& member) {
    if (const Json* v = fields_.find(name); v && !v->is_null()) member = v->get<std::int64_t>();
  }
  void read(const char* name, lrs::PerGroup& member) {
    if (const Json* v = fields_.find(name)) member = per_group_of(*v);
  }
  void done() const { fields_.done(); }

 private:
  static lrs::PerGroup per_group_of(const Json& v) {
    if (v.is_array()) return v.get<std::vector<double>>();
    return Fields::number_of(v);
  }
  template <class T> void read_json(const char* name, T& member) {
    if (const Json* v = fields_.find(name)) member = v->get<T>();
  }
  Fields fields_;
};

lrs::LRLambda table_function(const Json& table) {
  return [values = table.get<std::vector<double>>()](std::int64_t epoch) {
    return values.at(static_cast<std::size_t>(epoch));
  };
}
lrs::LRLambdas table_functions(const Json& table) {
  if (!table.at(0).is_array()) return table_function(table);
  std::vector<lrs::LRLambda> list;
  for (const Json& one : table) list.push_back(table_function(one));
  return list;
}
template <class S> MadeScheduler make_lambda(optim::Optimizer& optimizer, SchedulerArgs& a) {
  return std::make_shared<S>(optimizer, table_functions(a.at("table")), a.last_epoch);
}

MadeScheduler make_step(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::StepLROptions o{.last_epoch = a.last_epoch};
  a.read("gamma", o.gamma);
  return std::make_shared<lrs::StepLR>(optimizer, a.integer("step_size"), o);
}
MadeScheduler make_multi_step(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::StepLROptions o{.last_epoch = a.last_epoch};
  a.read("gamma", o.gamma);
  return std::make_shared<lrs::MultiStepLR>(optimizer,
                                            a.at("milestones").get<std::vector<std::int64_t>>(), o);
}
MadeScheduler make_exponential(optim::Optimizer& optimizer, SchedulerArgs& a) {
  return std::make_shared<lrs::ExponentialLR>(optimizer, a.number("gamma"), a.last_epoch);
}
MadeScheduler make_polynomial(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::PolynomialLROptions o{.last_epoch = a.last_epoch};
  a.read("total_iters", o.total_iters), a.read("power", o.power);
  return std::make_shared<lrs::PolynomialLR>(optimizer, o);
}
MadeScheduler make_constant(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::ConstantLROptions o{.last_epoch = a.last_epoch};
  a.read("factor", o.factor), a.read("total_iters", o.total_iters);
  return std::make_shared<lrs::ConstantLR>(optimizer, o);
}
MadeScheduler make_linear(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::LinearLROptions o{.last_epoch = a.last_epoch};
  a.read("start_factor", o.start_factor), a.read("end_factor", o.end_factor);
  a.read("total_iters", o.total_iters);
  return std::make_shared<lrs::LinearLR>(optimizer, o);
}
MadeScheduler make_cosine(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::CosineAnnealingLROptions o{.last_epoch = a.last_epoch};
  a.read("eta_min", o.eta_min);
  return std::make_shared<lrs::CosineAnnealingLR>(optimizer, a.integer("T_max"), o);
}
MadeScheduler make_restarts(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::CosineAnnealingWarmRestartsOptions o{.last_epoch = a.last_epoch};
  a.read("T_mult", o.T_mult), a.read("eta_min", o.eta_min);
  return std::make_shared<lrs::CosineAnnealingWarmRestarts>(optimizer, a.integer("T_0"), o);
}
MadeScheduler make_cyclic(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::CyclicLROptions o{.last_epoch = a.last_epoch};
  a.read("step_size_up", o.step_size_up), a.read("step_size_down", o.step_size_down);
  a.read("mode", o.mode), a.read("gamma", o.gamma), a.read("scale_mode", o.scale_mode);
  a.read("cycle_momentum", o.cycle_momentum);
  a.read("base_momentum", o.base_momentum), a.read("max_momentum", o.max_momentum);
  return std::make_shared<lrs::CyclicLR>(optimizer, a.per_group("base_lr"), a.per_group("max_lr"),
                                         o);
}
MadeScheduler make_one_cycle(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::OneCycleLROptions o{.last_epoch = a.last_epoch};
  a.read("total_steps", o.total_steps), a.read("epochs", o.epochs);
  a.read("steps_per_epoch", o.steps_per_epoch), a.read("pct_start", o.pct_start);
  a.read("anneal_strategy", o.anneal_strategy), a.read("cycle_momentum", o.cycle_momentum);
  a.read("base_momentum", o.base_momentum), a.read("max_momentum", o.max_momentum);
  a.read("div_factor", o.div_factor), a.read("final_div_factor", o.final_div_factor);
  a.read("three_phase", o.three_phase);
  return std::make_shared<lrs::OneCycleLR>(optimizer, a.per_group("max_lr"), o);
}
MadeScheduler make_plateau(optim::Optimizer& optimizer, SchedulerArgs& a) {
  lrs::ReduceLROnPlateauOptions o;
  a.read("mode", o.mode), a.read("factor", o.factor), a.read("patience", o.patience);
  a.read("threshold", o.threshold), a.read("threshold_mode", o.threshold_mode);
  a.read("cooldown", o.cooldown), a.read("min_lr", o.min_lr), a.read("eps", o.eps);
  return std::make_shared<lrs::ReduceLROnPlateau>(optimizer, o);
}
MadeScheduler make_swa(optim::Optimizer& optimizer, SchedulerArgs& a) {
  optim::SWALROptions o{.last_epoch = a.last_epoch};
  a.read("anneal_epochs", o.anneal_epochs), a.read("anneal_strategy", o.anneal_strategy);
  return std::make_shared<optim::SWALR>(optimizer, a.per_group("swa_lr"), o);
}

std::vector<lrs::SchedulerRef> nested(optim::Optimizer& optimizer, SchedulerArgs& a) {
  std::vector<lrs::SchedulerRef> list;
  for (const Json& one : a.at("schedulers")) list.emplace_back(make_scheduler(optimizer, one));
  return list;
}
MadeScheduler make_sequential(optim::Optimizer& optimizer, SchedulerArgs& a) {
  return std::make_shared<lrs::SequentialLR>(optimizer, nested(optimizer, a),
                                             a.at("milestones").get<std::vector<std::int64_t>>(),
                                             a.last_epoch);
}
MadeScheduler make_chained(optim::Optimizer& optimizer, SchedulerArgs& a) {
  return std::make_shared<lrs::ChainedScheduler>(nested(optimizer, a));
}

using MakeScheduler = MadeScheduler (*)(optim::Optimizer&, SchedulerArgs&);
const std::map<std::string, MakeScheduler>& scheduler_makers() {
  static const std::map<std::string, MakeScheduler> table = {
      {"LambdaLR", make_lambda<lrs::LambdaLR>},
      {"MultiplicativeLR", make_lambda<lrs::MultiplicativeLR>},
      {"StepLR", make_step},
      {"MultiStepLR", make_multi_step},
      {"ConstantLR", make_constant},
      {"LinearLR", make_linear},
      {"ExponentialLR", make_exponential},
      {"PolynomialLR", make_polynomial},
      {"CosineAnnealingLR", make_cosine},
      {"CosineAnnealingWarmRestarts", make_restarts},
      {"CyclicLR", make_cyclic},
      {"OneCycleLR", make_one_cycle},
      {"ReduceLROnPlateau", make_plateau},
      {"SequentialLR", make_sequential},
      {"ChainedScheduler", make_chained},
      {"SWALR", make_swa}};
  return table;
}

}  // namespace

std::shared_ptr<lrs::LRScheduler> make_scheduler(optim::Optimizer& optimizer,
                                                 const Json& description, std::int64_t last_epoch) {
  Fields fields(description);
  const std::string name = fields.text("name");
  const auto found = scheduler_makers().find(name);
  if (found == scheduler_makers().end()) throw Unsupported("lr_scheduler." + name);
  static const Json no_args = Json::object();
  const Json* given = fields.find("args");
  fields.done();
  SchedulerArgs args(given ? *given : no_args, last_epoch);
  const MadeScheduler scheduler = found->second(optimizer, args);
  args.done();
  return scheduler;
}

}  // namespace taper::oracle
