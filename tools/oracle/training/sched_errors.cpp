#include "training/sched_errors.h"

#include <map>

#include "cases/outcome.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/optim/lr_scheduler.h"
#include "training/optimizers.h"
#include "training/schedulers.h"

namespace taper::oracle {
namespace {

namespace lrs = optim::lr_scheduler;

std::unique_ptr<optim::Optimizer> sgd_with_momentum(const std::vector<double>& rates = {0.1}) {
  std::vector<optim::ParamGroup> groups;
  for (const double lr : rates)
    groups.emplace_back(std::vector<Tensor>{ones({1}, {.requires_grad = true})},
                        optim::ParamGroup::Options{{"lr", lr}});
  return make_optimizer("SGD", std::move(groups), {{"momentum", 0.9}});
}

// Function that makes a call with the optimizer, which the call must leave unchanged.
using SchedulerCall = void (*)(optim::Optimizer& optimizer);

void try_making(optim::Optimizer& optimizer, const char* name, const char* args) {
  (void)make_scheduler(optimizer, {{"name", name}, {"args", Json::parse(args)}});
}

const std::map<std::string, SchedulerCall>& scheduler_calls() {
  using O = optim::Optimizer;
  static const std::map<std::string, SchedulerCall> table = {
      {"StepLR(not an optimizer)", nullptr},  // the compiler rejects this call
      {"LambdaLR(two groups, three lambdas)",
       [](O& o) { try_making(o, "LambdaLR", R"({"table": [[1.0], [1.0], [1.0]]})"); }},
      {"ConstantLR(factor=1.5)", [](O& o) { try_making(o, "ConstantLR", R"({"factor": 1.5})"); }},
      {"ConstantLR(factor=-0.5)", [](O& o) { try_making(o, "ConstantLR", R"({"factor": -0.5})"); }},
      {"LinearLR(start_factor=0)",
       [](O& o) { try_making(o, "LinearLR", R"({"start_factor": 0})"); }},
      {"LinearLR(end_factor=2)", [](O& o) { try_making(o, "LinearLR", R"({"end_factor": 2})"); }},
      {"ReduceLROnPlateau(factor=1)",
       [](O& o) { try_making(o, "ReduceLROnPlateau", R"({"factor": 1.0})"); }},
      {"ReduceLROnPlateau(min_lr=[2 values], one group)",
       [](O& o) { try_making(o, "ReduceLROnPlateau", R"({"min_lr": [0.1, 0.2]})"); }},
      {"ReduceLROnPlateau(mode='foo')",
       [](O& o) { try_making(o, "ReduceLROnPlateau", R"({"mode": "foo"})"); }},
      {"OneCycleLR(max_lr=1) without steps",
       [](O& o) { try_making(o, "OneCycleLR", R"({"max_lr": 1.0})"); }},
      {"OneCycleLR(total_steps=-1)",
       [](O& o) { try_making(o, "OneCycleLR", R"({"max_lr": 1.0, "total_steps": -1})"); }},
      {"OneCycleLR(pct_start=2)",
       [](O& o) {
         try_making(o, "OneCycleLR", R"({"max_lr": 1.0, "total_steps": 10, "pct_start": 2.0})");
       }},
      {"OneCycleLR(anneal_strategy='foo')",
       [](O& o) {
         try_making(o, "OneCycleLR",
                    R"({"max_lr": 1.0, "total_steps": 10, "anneal_strategy": "foo"})");
       }},
      {"OneCycleLR stepped past total_steps=3",
       [](O&) {
         const auto own = sgd_with_momentum();
         lrs::OneCycleLR scheduler(*own, 1.0, {.total_steps = 3});
         for (int t = 0; t < 4; ++t) own->step(), scheduler.step();
       }},
      {"CosineAnnealingWarmRestarts(T_0=0)",
       [](O& o) { try_making(o, "CosineAnnealingWarmRestarts", R"({"T_0": 0})"); }},
      {"CosineAnnealingWarmRestarts(T_0=2, T_mult=0)",
       [](O& o) { try_making(o, "CosineAnnealingWarmRestarts", R"({"T_0": 2, "T_mult": 0})"); }},
      {"CosineAnnealingWarmRestarts.step(-1)",
       [](O&) {
         const auto own = sgd_with_momentum();
         lrs::CosineAnnealingWarmRestarts(*own, 2).step(-1);
       }},
      {"CyclicLR(mode='foo')",
       [](O& o) {
         try_making(o, "CyclicLR", R"({"base_lr": 0.1, "max_lr": 1.0, "mode": "foo"})");
       }},
      {"CyclicLR cycle_momentum without momentum",
       [](O&) {
         const auto own = make_optimizer("Adagrad", {ones({1}, {.requires_grad = true})}, {});
         try_making(*own, "CyclicLR", R"({"base_lr": 0.1, "max_lr": 1.0})");
       }},
      {"SequentialLR of two optimizers",
       [](O&) {
         const auto one = sgd_with_momentum(), two = sgd_with_momentum();
         lrs::ConstantLR a(*one), b(*two);
         lrs::SequentialLR(*one, {a, b}, {3});
       }},
      {"SequentialLR wrong number of milestones",
       [](O&) {
         const auto own = sgd_with_momentum();
         lrs::ConstantLR a(*own), b(*own);
         lrs::SequentialLR(*own, {a, b}, {3, 4});
       }},
      {"SequentialLR([])", [](O& o) { lrs::SequentialLR(o, {}, {}); }},
      {"ChainedScheduler of two optimizers",
       [](O&) {
         // Optimizer `two` has an earlier scheduler, as in the script that generates the cases.
         const auto one = sgd_with_momentum(), two = sgd_with_momentum();
         lrs::ConstantLR first(*two), a(*one), b(*two);
         lrs::ChainedScheduler({a, b});
       }},
      {"StepLR(last_epoch=3) without initial_lr", [](O& o) {
         (void)make_scheduler(o, {{"name", "StepLR"}, {"args", {{"step_size", 3}}}}, 3);
       }}};
  return table;
}

// Returns the message as Python's str() prints it: that of a KeyError is the repr of its message.
std::string python_str(const Error& error) {
  return error.kind() == ErrorKind::key ? Value(error.message()).repr() : error.message();
}
std::string escape_newlines(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at)
    text.replace(at, 1, "\\n");
  return text;
}

}  // namespace

void run_sched_errors(Case& c) {
  std::string missing;
  for (const Json& row : c.at("rows")) {
    for (const auto& [field, value] : row.items())
      if (field != "call" && field != "type" && field != "text")
        throw MalformedCase("unknown field '" + field + "' of a row");
    const auto call = row.at("call").get<std::string>();
    const auto found = scheduler_calls().find(call);
    if (found == scheduler_calls().end()) throw MalformedCase("unknown call " + call);
    if (!found->second) continue;
    const auto optimizer =
        sgd_with_momentum(call.starts_with("LambdaLR") ? std::vector{0.1, 0.2} : std::vector{0.1});
    const std::string before = optimizer->str();
    try {
      found->second(*optimizer);
      c.fail(call + " was not rejected");
    } catch (const Unsupported& unsupported) {
      missing = unsupported.what();
    } catch (const Error& error) {
      c.expect_text(call, escape_newlines(python_str(error)), row.at("text").get<std::string>());
    }
    c.expect_text(call + ": the optimizer", optimizer->str(), before);
  }
  if (!missing.empty() && c.failures().empty()) throw Unsupported(missing);
}

}  // namespace taper::oracle
