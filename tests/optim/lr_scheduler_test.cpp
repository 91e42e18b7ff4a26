// Behavior of all schedulers: warnings, groups, state dicts, user-defined schedulers.
#include "taper/optim/lr_scheduler.h"

#include <gtest/gtest.h>

#include "optim/schedule_support.h"
#include "support/contains.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "support/warning_capture.h"
#include "taper/core/error.h"

namespace taper {
namespace {

using namespace optim::lr_scheduler;
using test::contains, test::error_text, test::rates_of, test::sgd_with, test::WarningCapture;
using Rates = std::vector<double>;

TEST(LRScheduler, WarnsOfStepBeforeOptimizer) {
  const WarningCapture warnings;
  auto opt = sgd_with();
  opt.step();  // not counted, because no scheduler exists yet
  ExponentialLR scheduler(opt, 0.5);
  EXPECT_EQ(warnings.count(), 0u);
  scheduler.step();
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_TRUE(contains(warnings.last(),
                       "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In "
                       "PyTorch 1.1.0 and later, you should call them in the opposite order"));
  scheduler.step();  // does not warn a second time
  opt.step();
  ExponentialLR second(opt, 0.5);
  second.step();
  EXPECT_EQ(warnings.count(), 1u);
}

TEST(LRScheduler, DoesNotWarnIfTheOptimizerHadStepped) {
  const WarningCapture warnings;
  const auto make = [] {
    const Tensor weight = ones({2}, {.requires_grad = true});
    (weight * weight).sum().backward();
    return optim::SGD({weight}, {.lr = 0.1, .momentum = 0.9});
  };
  auto stopped = make();
  stopped.step();
  auto resumed = make();
  ExponentialLR scheduler(resumed, 0.5);
  resumed.load_state_dict(stopped.state_dict());
  scheduler.step();
  EXPECT_EQ(warnings.count(), 0u);
}

TEST(LRScheduler, DoesNotWarnInPyTorchOrder) {
  const WarningCapture warnings;
  auto opt = sgd_with();
  LinearLR warmup(opt);
  StepLR decay(opt, 2);
  ReduceLROnPlateau plateau(opt);
  SequentialLR sequence(opt, {warmup, decay}, {3});
  for (int t = 0; t < 6; ++t) opt.step(), sequence.step(), plateau.step(1.0);
  EXPECT_EQ(warnings.count(), 0u);
}

TEST(LRScheduler, WarnsOfEpochArgument) {
  const WarningCapture warnings;
  auto opt = sgd_with({1});
  StepLR scheduler(opt, 2, {.gamma = 0.5});
  opt.step();
  scheduler.step(5);
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_TRUE(warnings.last().starts_with(
      "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated"));
  EXPECT_EQ(scheduler.last_epoch, 5);
  EXPECT_EQ(rates_of(opt), Rates{0.25});
  EXPECT_EQ(error_text<ValueError>([&] { scheduler.step(2.5); }),
            "StepLR.step: epoch must be an integer, got 2.5");
  EXPECT_EQ(scheduler.last_epoch, 5);
}

TEST(LRScheduler, GetLrWarnsOutsideStep) {
  const WarningCapture warnings;
  auto opt = sgd_with({1});
  const ExponentialLR scheduler(opt, 0.5);
  EXPECT_EQ(scheduler.get_lr(), Rates{0.5});
  EXPECT_EQ(warnings.last(),
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.");
  EXPECT_EQ(scheduler.get_last_lr(), Rates{1});
  EXPECT_EQ(rates_of(opt), Rates{1});
}

TEST(LRScheduler, StoresInitialRatesInGroups) {
  auto opt = sgd_with({0.5, 0.25});
  const StepLR scheduler(opt, 3);
  EXPECT_EQ(scheduler.base_lrs, (Rates{0.5, 0.25}));
  EXPECT_EQ(test::options_named(opt, "initial_lr"), (Rates{0.5, 0.25}));
  EXPECT_TRUE(contains(opt.str(), "    initial_lr: 0.5\n    lr: 0.5\n"));
  opt.param_groups()[0]["lr"] = 7;
  const ExponentialLR second(opt, 0.5);  // does not replace an existing initial_lr
  EXPECT_EQ(second.base_lrs, (Rates{0.5, 0.25}));
}

TEST(LRScheduler, ResumesAtLastEpoch) {
  auto opt = sgd_with({0.5});
  EXPECT_TRUE(error_text<KeyError>([&] { StepLR(opt, 2, {.last_epoch = 3}); })
                  .starts_with("param 'initial_lr' is not specified in param_groups[0] when "
                               "resuming scheduler with last_epoch >= 0.\n"));
  opt.param_groups()[0]["initial_lr"] = 2.0;
  const CosineAnnealingLR scheduler(opt, 8, {.last_epoch = 3});
  EXPECT_EQ(scheduler.last_epoch, 4);
  EXPECT_EQ(scheduler.base_lrs, Rates{2});
}

TEST(LRScheduler, PreservesIntegersThatStay) {
  optim::SGD opt({ones({1}, {.requires_grad = true})}, {.lr = 1});
  StepLR scheduler(opt, 2, {.gamma = 0.5});
  opt.step(), scheduler.step();
  EXPECT_TRUE(contains(opt.str(), "    lr: 1\n"));
  opt.step(), scheduler.step();
  EXPECT_TRUE(contains(opt.str(), "    lr: 0.5\n"));
}

TEST(LRScheduler, FillsRatesThatAreTensors) {
  auto opt = sgd_with();
  const Tensor lr = tensor({2.0});
  opt.param_groups()[0]["lr"] = lr;
  StepLR scheduler(opt, 1, {.gamma = 0.25});
  opt.step(), scheduler.step();
  EXPECT_TRUE(opt.param_groups()[0]["lr"].as_tensor().is_same(lr));
  EXPECT_EQ(lr.item<double>(), 0.5);
  EXPECT_FALSE(opt.param_groups()[0]["initial_lr"].as_tensor().is_same(lr));
  EXPECT_EQ(scheduler.base_lrs, Rates{2});
  EXPECT_EQ(scheduler.get_last_lr(), Rates{0.5});
}

TEST(LRScheduler, SupportsGroupsAddedLater) {
  auto opt = sgd_with({1});
  StepLR decay(opt, 1, {.gamma = 0.5});
  LambdaLR lambda(opt, [](std::int64_t) { return 1; });
  opt.add_param_group(std::move(test::groups_with({4})[0]));
  opt.step(), decay.step();  // only depends on the current rates
  EXPECT_EQ(rates_of(opt), (Rates{0.5, 2}));
  EXPECT_EQ(error_text<ValueError>([&] { lambda.step(); }),
            "LambdaLR.step: number of learning rates differs from that of parameter groups: got 1, "
            "expected 2");
  EXPECT_EQ(rates_of(opt), (Rates{0.5, 2}));
  EXPECT_EQ(lambda.last_epoch, 0);
}

TEST(LRScheduler, FailedConstructionLeavesOptimizerUnchanged) {
  auto opt = sgd_with({0.5, 0.25});
  const Tensor lr = tensor({2.0});
  opt.param_groups()[1]["lr"] = lr;
  const std::string before = opt.str();
  const auto failing = [](std::int64_t) -> double { throw ValueError("no rate"); };
  EXPECT_THROW(LambdaLR(opt, failing), ValueError);
  EXPECT_THROW(CyclicLR(opt, 0.1, 0.2,
                        {.step_size_up = 3,
                         .scale_fn = [](double) -> double { throw ValueError("no scale"); }}),
               ValueError);
  EXPECT_THROW(OneCycleLR(opt, 0.1, {.total_steps = 10, .pct_start = 0.1}), ValueError);
  EXPECT_THROW(CyclicLR(opt, 0.1, 0.2, {.max_momentum = {0.1}}), ValueError);
  EXPECT_EQ(opt.str(), before);
  EXPECT_TRUE(opt.param_groups()[1]["lr"].as_tensor().is_same(lr));
}

TEST(LRScheduler, FailedStepChangesNothing) {
  auto opt = sgd_with({0.5});
  LambdaLR failing(opt, [](std::int64_t t) -> double {
    if (t >= 1) throw ValueError("no rate");
    return 1;
  });
  OneCycleLR cycle(opt, 0.1, {.total_steps = 1});
  StepLR decay(opt, 1, {.gamma = 0.5});
  ChainedScheduler chained({decay, failing});
  opt.step(), cycle.step();
  const std::string before = opt.str();
  for (LRScheduler* scheduler : std::initializer_list<LRScheduler*>{&failing, &cycle, &chained}) {
    const std::string state = scheduler->state_dict().repr();
    EXPECT_THROW(scheduler->step(), ValueError);
    EXPECT_THROW(scheduler->step(), ValueError);
    EXPECT_EQ(scheduler->state_dict().repr(), state);
    EXPECT_EQ(opt.str(), before);
  }
  EXPECT_EQ(error_text([&] { cycle.step(); }),
            "Tried to step 2 times. The specified number of total steps is 1");
}

TEST(LRScheduler, LoadsStateDictOfOtherVersions) {
  auto opt = sgd_with();
  StepLR scheduler(opt, 3);
  const Value old = Value::dict({{"step_size", 5.0},  // an integral float
                                 {"gamma", tensor({0.5})},
                                 {"base_lrs", Value::tuple({0.25})},
                                 {"last_epoch", 4},
                                 {"verbose", false},
                                 {"_last_lr", Value::list({1})}});
  scheduler.load_state_dict(old);
  EXPECT_EQ(scheduler.step_size, 5);
  EXPECT_EQ(scheduler.state_dict().repr(),
            "{'step_size': 5, 'gamma': 0.5, 'base_lrs': [0.25], 'last_epoch': 4, '_step_count': 1, "
            "'_is_initial': False, '_get_lr_called_within_step': False, '_last_lr': [1.0], "
            "'verbose': False}");
}

TEST(LRScheduler, RejectsUnsuitableStateAndStaysUnchanged) {
  auto opt = sgd_with();
  StepLR step(opt, 3);
  MultiStepLR multi(opt, {3, 3});
  LambdaLR lambda(opt, [](std::int64_t) { return 1; });
  CosineAnnealingWarmRestarts restarts(opt, 3);
  CyclicLR cyclic(opt, 0.1, 0.2);
  OneCycleLR cycle(opt, 0.1, {.total_steps = 9});
  ReduceLROnPlateau plateau(opt);
  SequentialLR sequence(opt, {step, lambda}, {3});
  const auto reject = [&](LRScheduler& scheduler, const char* key, const Value& value,
                          const std::string& text) {
    Value state = scheduler.state_dict();
    const std::string before = state.repr();
    if (scheduler.type_name() != "SequentialLR") state["last_epoch"] = 77;
    if (value.is_none())
      state.as_dict().erase(key);
    else
      state[key] = value;
    EXPECT_EQ(error_text([&] { scheduler.load_state_dict(state); }), text);
    EXPECT_EQ(scheduler.state_dict().repr(), before);
  };
  EXPECT_EQ(error_text<TypeError>([&] { step.load_state_dict(3); }),
            "StepLR.load_state_dict: expected a dict, got int");
  reject(step, "gamma", "x", "StepLR.load_state_dict: invalid 'gamma': got 'x', expected a number");
  reject(step, "step_size", 2.5,
         "StepLR.load_state_dict: invalid 'step_size': got 2.5, expected an integer");
  reject(step, "base_lrs", 0.1,
         "StepLR.load_state_dict: invalid 'base_lrs': got 0.1, expected a list of numbers");
  reject(step, "_is_initial", 0,
         "StepLR.load_state_dict: invalid '_is_initial': got 0, expected a bool");
  reject(multi, "milestones", Value::list({3}),
         "MultiStepLR.load_state_dict: invalid 'milestones': got [3], expected a dict of integers");
  reject(lambda, "lr_lambdas", Value(), "'lr_lambdas'");
  reject(lambda, "lr_lambdas", Value::list({}),
         "LambdaLR.load_state_dict: 'lr_lambdas' has a different length: got 0, expected 1");
  reject(restarts, "T_i", 0, "Expected positive integer T_i, but got 0");
  reject(cyclic, "_scale_fn_custom", Value(), "'_scale_fn_custom'");
  reject(cyclic, "mode", "foo", "mode is invalid and scale_fn is None");
  reject(cycle, "_anneal_func_type", "foo", "Unknown _anneal_func_type: foo");
  reject(cycle, "_schedule_phases", Value::list({}),
         "OneCycleLR.load_state_dict: invalid '_schedule_phases': got [], expected a list of "
         "phases");
  reject(plateau, "mode", "foo", "mode foo is unknown!");
  reject(plateau, "threshold_mode", "foo", "threshold mode foo is unknown!");
  reject(sequence, "_schedulers", Value::list({Value::dict()}),
         "SequentialLR.load_state_dict: '_schedulers' has a different length: got 1, expected 2");
  reject(sequence, "_schedulers", Value::list({step.state_dict(), Value::dict()}), "'lr_lambdas'");
  reject(sequence, "_milestones", Value::list({1, 2}),
         "SequentialLR.load_state_dict: '_milestones' has a different length: got 2, expected 1");
}

/// Callable with a state dict.
struct Growing {
  double factor = 1;
  double operator()(std::int64_t t) const { return 1 + factor * static_cast<double>(t); }
  Value state_dict() const { return Value::dict({{"factor", factor}}); }
  void load_state_dict(const Value& state) { factor = state["factor"].as_double(); }
};

TEST(LRScheduler, SavesStateOfFunctions) {
  auto opt = sgd_with({1, 2}), other = sgd_with({1, 2});
  LambdaLR first(opt, {Growing{0.5}, [](std::int64_t) { return 3; }});
  MultiplicativeLR shared(opt, Growing{0.25});
  EXPECT_EQ(first.state_dict()["lr_lambdas"].repr(), "[{'factor': 0.5}, None]");
  EXPECT_EQ(shared.state_dict()["lr_lambdas"].repr(), "[{'factor': 0.25}, {'factor': 0.25}]");
  LambdaLR second(other, {Growing{7}, Growing{8}});
  second.load_state_dict(first.state_dict());
  other.step(), second.step();
  EXPECT_EQ(rates_of(other), (Rates{1.5, 18}));
  Value state = first.state_dict();
  state["last_epoch"] = 9;
  state["lr_lambdas"][0] = Value::dict();  // load_state_dict of the callable rejects it
  EXPECT_THROW(first.load_state_dict(state), KeyError);
  EXPECT_EQ(first.last_epoch, 0);
}

/// User-defined scheduler: halves the rate every `period` epochs.
class Halving : public LRScheduler {
 public:
  Halving(optim::Optimizer& optimizer, std::int64_t period)
      : LRScheduler(optimizer), period_(period) {
    start();
  }
  std::string_view type_name() const override { return "Halving"; }

 protected:
  Rates compute_lr() const override {
    if (is_initial() || last_epoch % period_ != 0) return group_numbers("lr");
    return scaled_lr(0.5);
  }
  void visit_state(StateFields& field) override {
    field("period", period_);
    LRScheduler::visit_state(field);
  }

 private:
  std::int64_t period_;
};

TEST(LRScheduler, SupportsUserDefinedSchedulers) {
  auto opt = sgd_with({1});
  Halving scheduler(opt, 2);
  for (int t = 0; t < 4; ++t) opt.step(), scheduler.step();
  EXPECT_EQ(rates_of(opt), Rates{0.25});
  const Value state = scheduler.state_dict();
  EXPECT_EQ(state["period"].as_int(), 2);
  auto other = sgd_with({1});
  Halving second(other, 5);
  second.load_state_dict(state);
  EXPECT_EQ(second.state_dict().repr(), state.repr());
}

}  // namespace
}  // namespace taper
