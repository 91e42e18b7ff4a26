// Construction of schedulers by name: every argument, defaults, rejected arguments.
#include <gtest/gtest.h>

#include <map>

#include "optim/schedule_support.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/swa_lr.h"

namespace taper {
namespace {

using namespace optim::lr_scheduler;
using test::error_text, test::sgd_with;

struct NamedSchedule {
  const char* name;
  Value options;
  std::shared_ptr<LRScheduler> (*construct)(optim::Optimizer&);
};

Value list_of(std::initializer_list<Value> items) { return Value::list(Values(items)); }

/// Every class with every argument, each different from its default.
std::vector<NamedSchedule> named_schedules() {
  using O = optim::Optimizer&;
  return {
      {"ConstantLR", Value::dict({{"factor", 0.5}, {"total_iters", 3}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<ConstantLR>(o, ConstantLROptions{0.5, 3});
       }},
      {"LinearLR", Value::dict({{"start_factor", 0.5}, {"end_factor", 0.75}, {"total_iters", 3}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<LinearLR>(o, LinearLROptions{0.5, 0.75, 3});
       }},
      {"StepLR", Value::dict({{"step_size", 2}, {"gamma", 0.5}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<StepLR>(o, 2, StepLROptions{.gamma = 0.5});
       }},
      {"MultiStepLR", Value::dict({{"milestones", list_of({1, 3})}, {"gamma", 0.5}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<MultiStepLR>(o, std::vector<std::int64_t>{1, 3},
                                              StepLROptions{.gamma = 0.5});
       }},
      {"ExponentialLR", Value::dict({{"gamma", 0.5}}),
       [](O o) -> std::shared_ptr<LRScheduler> { return std::make_shared<ExponentialLR>(o, 0.5); }},
      {"PolynomialLR", Value::dict({{"total_iters", 3}, {"power", 2}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<PolynomialLR>(o, PolynomialLROptions{3, 2});
       }},
      {"CosineAnnealingLR", Value::dict({{"T_max", 3}, {"eta_min", 0.01}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<CosineAnnealingLR>(o, 3,
                                                    CosineAnnealingLROptions{.eta_min = 0.01});
       }},
      {"CosineAnnealingWarmRestarts", Value::dict({{"T_0", 2}, {"T_mult", 2}, {"eta_min", 0.01}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<CosineAnnealingWarmRestarts>(
             o, 2, CosineAnnealingWarmRestartsOptions{2, 0.01});
       }},
      {"CyclicLR",
       Value::dict({{"base_lr", list_of({0.01, 0.02})},
                    {"max_lr", 0.3},
                    {"step_size_up", 2},
                    {"step_size_down", 3},
                    {"mode", "exp_range"},
                    {"gamma", 0.9},
                    {"scale_mode", "iterations"},
                    {"cycle_momentum", true},
                    {"base_momentum", 0.7},
                    {"max_momentum", Value::tuple({0.8, 0.85})}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<CyclicLR>(o, PerGroup{0.01, 0.02}, 0.3,
                                           CyclicLROptions{.step_size_up = 2,
                                                           .step_size_down = 3,
                                                           .mode = "exp_range",
                                                           .gamma = 0.9,
                                                           .scale_mode = "iterations",
                                                           .base_momentum = 0.7,
                                                           .max_momentum = {0.8, 0.85}});
       }},
      {"OneCycleLR",
       Value::dict({{"max_lr", 0.5},
                    {"epochs", 3},
                    {"steps_per_epoch", 4},
                    {"pct_start", 0.4},
                    {"anneal_strategy", "linear"},
                    {"base_momentum", 0.7},
                    {"max_momentum", 0.97},
                    {"div_factor", 10},
                    {"final_div_factor", 100},
                    {"three_phase", true}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<OneCycleLR>(o, 0.5,
                                             OneCycleLROptions{.epochs = 3,
                                                               .steps_per_epoch = 4,
                                                               .pct_start = 0.4,
                                                               .anneal_strategy = "linear",
                                                               .base_momentum = 0.7,
                                                               .max_momentum = 0.97,
                                                               .div_factor = 10,
                                                               .final_div_factor = 100,
                                                               .three_phase = true});
       }},
      {"ReduceLROnPlateau",
       Value::dict({{"mode", "max"},
                    {"factor", 0.5},
                    {"patience", 1},
                    {"threshold", 0.1},
                    {"threshold_mode", "abs"},
                    {"cooldown", 1},
                    {"min_lr", list_of({0.01, 0.02})},
                    {"eps", 1e-4}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<ReduceLROnPlateau>(
             o, ReduceLROnPlateauOptions{"max", 0.5, 1, 0.1, "abs", 1, {0.01, 0.02}, 1e-4});
       }},
      {"SWALR",
       Value::dict({{"swa_lr", 0.05}, {"anneal_epochs", 3}, {"anneal_strategy", "linear"}}),
       [](O o) -> std::shared_ptr<LRScheduler> {
         return std::make_shared<optim::SWALR>(
             o, 0.05, optim::SWALROptions{.anneal_epochs = 3, .anneal_strategy = "linear"});
       }},
  };
}

TEST(MakeScheduler, PassesEveryArgument) {
  const auto rows = named_schedules();
  EXPECT_EQ(rows.size(), scheduler_names().size());
  for (const NamedSchedule& row : rows) {
    SCOPED_TRACE(row.name);
    auto a = sgd_with({0.1, 0.2}), b = sgd_with({0.1, 0.2});
    const auto made = make(row.name, a, row.options);
    const auto expected = row.construct(b);
    EXPECT_EQ(made->type_name(), row.name);
    EXPECT_EQ(made->state_dict().repr(), expected->state_dict().repr());
    const std::optional<Scalar> metric =
        made->type_name() == "ReduceLROnPlateau" ? std::optional<Scalar>(2.0) : std::nullopt;
    for (int t = 0; t < 5; ++t) {
      a.step(), b.step();
      made->step(metric), expected->step(metric);
      EXPECT_EQ(a.str(), b.str());
    }
  }
}

TEST(MakeScheduler, UsesDefaultsOfAbsentArguments) {
  auto a = sgd_with(), b = sgd_with();
  EXPECT_EQ(make("ConstantLR", a)->state_dict().repr(), ConstantLR(b).state_dict().repr());
  const Value options = Value::dict({{"max_lr", 1}, {"total_steps", 9}});
  EXPECT_EQ(make("OneCycleLR", a, options)->state_dict().repr(),
            OneCycleLR(b, 1, {.total_steps = 9}).state_dict().repr());
  EXPECT_EQ(a.str(), b.str());
}

TEST(MakeScheduler, ResumesAtLastEpoch) {
  auto opt = sgd_with();
  opt.param_groups()[0]["initial_lr"] = 0.4;
  for (const NamedSchedule& row : named_schedules()) {
    if (std::string(row.name) == "ReduceLROnPlateau" || std::string(row.name) == "CyclicLR" ||
        std::string(row.name) == "OneCycleLR")
      continue;  // no such argument, lists of another length, or options of the groups
    Value options = row.options.as_dict().copy();
    options["last_epoch"] = 1;
    EXPECT_EQ(make(row.name, opt, options)->last_epoch, 2) << row.name;
  }
}

TEST(MakeScheduler, RejectsUnknownNamesAndArguments) {
  auto opt = sgd_with();
  const std::string before = opt.str();
  EXPECT_EQ(error_text<AttributeError>([&] { make("StepLr", opt); }),
            "lr_scheduler.make: unknown scheduler 'StepLr', expected one of ConstantLR, "
            "CosineAnnealingLR, CosineAnnealingWarmRestarts, CyclicLR, ExponentialLR, LinearLR, "
            "MultiStepLR, OneCycleLR, PolynomialLR, ReduceLROnPlateau, SWALR, StepLR");
  EXPECT_EQ(error_text<TypeError>([&] { make("StepLR", opt); }),
            "StepLR.__init__() missing required argument: 'step_size'");
  EXPECT_EQ(error_text<TypeError>([&] {
              make("StepLR", opt, Value::dict({{"step_size", 3}, {"step", 2}}));
            }),
            "StepLR.__init__() got an unexpected keyword argument 'step'");
  EXPECT_EQ(error_text<TypeError>([&] { make("StepLR", opt, 3); }),
            "StepLR: options must be a dict, got int");
  EXPECT_THROW(make("StepLR", opt, Value::dict({{"step_size", "fast"}})), TypeError);
  EXPECT_EQ(error_text<ValueError>([&] {
              make("ReduceLROnPlateau", opt, Value::dict({{"factor", 1.5}}));
            }),
            "Factor should be < 1.0.");
  EXPECT_EQ(opt.str(), before);
}

}  // namespace
}  // namespace taper
