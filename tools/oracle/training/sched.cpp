// Family sched: learning rates and momenta, state dicts, resumed schedules.
#include "cases/outcome.h"
#include "taper/core/factory.h"
#include "taper/optim/lr_scheduler.h"
#include "training/described.h"
#include "training/families.h"
#include "training/fields.h"
#include "training/optimizers.h"
#include "training/sched_errors.h"
#include "training/schedulers.h"

namespace taper::oracle {
namespace {

constexpr Tolerance kRateTolerance{1e-12, 1e-15};

std::unique_ptr<optim::Optimizer> optimizer_with_rates(const std::string& name, const Json& lrs,
                                                       const Json* initial = nullptr) {
  std::vector<optim::ParamGroup> groups;
  for (std::size_t i = 0; i < lrs.size(); ++i) {
    groups.emplace_back(std::vector<Tensor>{ones({1}, {.requires_grad = true})},
                        optim::ParamGroup::Options{{"lr", lrs[i].get<double>()}});
    if (initial) groups.back()["initial_lr"] = initial->at(i).get<double>();
  }
  Options options;
  if (name == "SGD") options["momentum"] = 0.9;
  return make_optimizer(name, std::move(groups), options);
}

void expect_rates(Case& c, const std::string& what, const std::vector<double>& actual,
                  const Json& expected) {
  if (actual.size() != expected.size())
    return c.fail(what + ": got " + std::to_string(actual.size()) + " groups, expected " +
                  std::to_string(expected.size()));
  for (std::size_t i = 0; i < actual.size(); ++i)
    c.expect_number(what + "[" + std::to_string(i) + "]", actual[i], Fields::number_of(expected[i]),
                    kRateTolerance);
}

std::vector<double> current_rates(const optim::Optimizer& optimizer) {
  std::vector<double> rates;
  for (const optim::ParamGroup& group : optimizer.param_groups())
    rates.push_back(group["lr"].as_double());
  return rates;
}

std::vector<double> current_momenta(const optim::Optimizer& optimizer) {
  std::vector<double> momenta;
  for (const optim::ParamGroup& group : optimizer.param_groups())
    momenta.push_back(group.options().contains("betas") ? group["betas"][0].as_double()
                                                        : group["momentum"].as_double());
  return momenta;
}

void run_schedule(Case& c) {
  const std::string name = c.text("optimizer");
  const Json &description = c.at("scheduler"), &lrs = c.at("lrs"), &lr = c.at("lr"),
             &momentum = c.at("momentum"), &last = c.at("lr_last"), &resumed = c.at("resumed_lr");
  const auto at = static_cast<std::size_t>(c.integer("state_at"));
  const auto optimizer = optimizer_with_rates(name, lrs), second = optimizer_with_rates(name, lrs);
  const auto scheduler = make_scheduler(*optimizer, description);
  const auto other = make_scheduler(*second, description);
  for (std::size_t t = 0; t < lr.size(); ++t) {
    if (t) optimizer->step(), scheduler->step();
    const std::string after = " after " + std::to_string(t);
    expect_rates(c, "lr" + after, current_rates(*optimizer), lr[t]);
    expect_rates(c, "momentum" + after, current_momenta(*optimizer), momentum.at(t));
    expect_rates(c, "get_last_lr" + after, scheduler->get_last_lr(), last.at(t));
    if (t != at) continue;
    expect_described(c, "state_dict", scheduler->state_dict(), c.at("state_dict"), kRateTolerance);
    second->load_state_dict(optimizer->state_dict());
    other->load_state_dict(scheduler->state_dict());
  }
  if (resumed.size() + at + 1 != lr.size()) throw MalformedCase("number of resumed steps");
  bool equal = true;
  for (std::size_t i = 0; i < resumed.size(); ++i) {
    second->step(), other->step();
    expect_rates(c, "resumed " + std::to_string(i), current_rates(*second), resumed[i]);
    equal = equal && current_rates(*second) == lr[at + 1 + i].get<std::vector<double>>();
  }
  if (c.at("resumed_from_state_equal").get<bool>() && !equal)
    c.fail("the resumed rates differ from those of an uninterrupted schedule");
}

void run_fractional(Case& c) {
  const auto optimizer = optimizer_with_rates("SGD", c.at("lrs"));
  const auto scheduler = make_scheduler(*optimizer, c.at("scheduler"));
  const Json &epochs = c.at("epochs"), &lr = c.at("lr");
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    scheduler->step(epochs[i].get<double>());
    expect_rates(c, "epoch " + epochs[i].dump(), current_rates(*optimizer),
                 Json::array({lr.at(i)}));
  }
}

void run_last_epoch(Case& c) {
  const auto optimizer = optimizer_with_rates("SGD", c.at("lrs"), &c.at("initial_lr"));
  const auto scheduler = make_scheduler(*optimizer, c.at("scheduler"), c.integer("last_epoch"));
  const Json& lr = c.at("lr");
  for (std::size_t t = 0; t < lr.size(); ++t) {
    if (t) optimizer->step(), scheduler->step();
    expect_rates(c, "lr after " + std::to_string(t), current_rates(*optimizer), lr[t]);
  }
}

void run_plateau(Case& c) {
  const auto optimizer = optimizer_with_rates("SGD", c.at("lrs"));
  const auto made = make_scheduler(*optimizer, c.at("scheduler"));
  auto& scheduler = dynamic_cast<optim::lr_scheduler::ReduceLROnPlateau&>(*made);
  const Json &metrics = c.at("metrics"), &lr = c.at("lr");
  const auto at = static_cast<std::size_t>(c.integer("state_at"));
  expect_rates(c, "lr at the start", current_rates(*optimizer), lr.at(0));
  for (std::size_t t = 1; t <= metrics.size(); ++t) {
    optimizer->step();
    scheduler.step(Fields::number_of(metrics[t - 1]));
    expect_rates(c, "lr after " + std::to_string(t), current_rates(*optimizer), lr.at(t));
    if (t == at)
      expect_described(c, "state_dict", scheduler.state_dict(), c.at("state_dict"), kRateTolerance);
  }
  c.expect_number("num_bad_epochs", static_cast<double>(scheduler.num_bad_epochs),
                  static_cast<double>(c.integer("num_bad_epochs")), {});
  c.expect_number("best", scheduler.best, Fields::number_of(c.at("best")), {1e-12, 0});
}

}  // namespace

void run_sched(Case& c) {
  static const std::map<std::string, void (*)(Case&)> kinds = {{"schedule", run_schedule},
                                                               {"fractional", run_fractional},
                                                               {"last_epoch", run_last_epoch},
                                                               {"plateau", run_plateau},
                                                               {"errors", run_sched_errors}};
  const auto kind = c.text("kind");
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw MalformedCase("unknown kind '" + kind + "'");
  found->second(c);
}

}  // namespace taper::oracle
