// Arguments that the schedulers reject, with PyTorch's texts, and divisions by zero.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optim/schedule_support.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/swa_lr.h"

namespace taper {
namespace {

using namespace optim::lr_scheduler;
using test::sgd_with;

/// Expects an error from `f`, which must leave the optimizer unchanged.
template <class E, class F>
void expect_rejected(const optim::Optimizer& optimizer, const std::string& text, F&& f) {
  const std::string before = optimizer.str();
  EXPECT_EQ(test::error_text<E>(std::forward<F>(f)), text);
  EXPECT_EQ(optimizer.str(), before) << text;
}

TEST(Schedulers, RejectFactorsOutsideRange) {
  auto opt = sgd_with();
  const char* constant = "Constant multiplicative factor expected to be between 0 and 1.";
  expect_rejected<ValueError>(opt, constant, [&] { ConstantLR(opt, {.factor = 1.5}); });
  expect_rejected<ValueError>(opt, constant, [&] { ConstantLR(opt, {.factor = -0.5}); });
  const char* start =
      "Starting multiplicative factor expected to be greater than 0 and less or equal to 1.";
  expect_rejected<ValueError>(opt, start, [&] { LinearLR(opt, {.start_factor = 0}); });
  expect_rejected<ValueError>(opt, start, [&] { LinearLR(opt, {.start_factor = 1.5}); });
  const char* end = "Ending multiplicative factor expected to be between 0 and 1.";
  expect_rejected<ValueError>(opt, end, [&] { LinearLR(opt, {.end_factor = 2}); });
  expect_rejected<ValueError>(opt, end, [&] { LinearLR(opt, {.end_factor = -1}); });
}

TEST(Schedulers, RejectListsOfOtherLength) {
  auto opt = sgd_with({0.1, 0.2});
  const auto f = [](std::int64_t) { return 1; };
  expect_rejected<ValueError>(opt, "Expected 2 lr_lambdas, but got 3", [&] {
    LambdaLR(opt, {f, f, f});
  });
  expect_rejected<ValueError>(opt, "Expected 2 lr_lambdas, but got 1",
                              [&] { MultiplicativeLR(opt, {f}); });
  expect_rejected<TypeError>(opt, "lr_lambda should be a function, but got NoneType", [&] {
    MultiplicativeLR(opt, LRLambdas{f, LRLambda()});
  });
  const auto text = [](const std::string& name) {
    return name + " must have the same length as optimizer.param_groups. " + name +
           " has 1 values, param_groups has 2.";
  };
  expect_rejected<ValueError>(opt, text("base_lr"), [&] { CyclicLR(opt, {0.1}, 0.2); });
  expect_rejected<ValueError>(opt, text("max_lr"), [&] { CyclicLR(opt, 0.1, {0.2}); });
  expect_rejected<ValueError>(opt, text("base_momentum"),
                              [&] { CyclicLR(opt, 0.1, 0.2, {.base_momentum = {0.8}}); });
  expect_rejected<ValueError>(opt, text("max_lr"),
                              [&] { OneCycleLR(opt, {0.1}, {.total_steps = 3}); });
  expect_rejected<ValueError>(opt, text("max_momentum"), [&] {
    OneCycleLR(opt, 0.1, {.total_steps = 3, .max_momentum = {0.8}});
  });
  expect_rejected<ValueError>(opt, text("swa_lr"), [&] { optim::SWALR(opt, {0.1}); });
  expect_rejected<ValueError>(opt, "expected 2 min_lrs, got 1",
                              [&] { ReduceLROnPlateau(opt, {.min_lr = {0.1}}); });
}

TEST(CosineAnnealingWarmRestarts, RejectsInvalidPeriods) {
  auto opt = sgd_with();
  expect_rejected<ValueError>(opt, "Expected positive integer T_0, but got 0",
                              [&] { CosineAnnealingWarmRestarts(opt, 0); });
  expect_rejected<ValueError>(opt, "Expected integer T_mult >= 1, but got 0",
                              [&] { CosineAnnealingWarmRestarts(opt, 2, {.T_mult = 0}); });
  CosineAnnealingWarmRestarts scheduler(opt, 3, {.T_mult = 2});
  scheduler.step(4.5);
  const std::string state = scheduler.state_dict().repr();
  expect_rejected<ValueError>(opt, "Expected non-negative epoch, but got -1",
                              [&] { scheduler.step(-1); });
  expect_rejected<ValueError>(opt, "Expected non-negative epoch, but got -0.5",
                              [&] { scheduler.step(-0.5); });
  EXPECT_THROW(scheduler.step(std::nan("")), ValueError);
  EXPECT_THROW(scheduler.step(std::numeric_limits<double>::infinity()), ValueError);
  EXPECT_EQ(scheduler.state_dict().repr(), state);
}

TEST(OneCycleLR, RejectsInvalidArguments) {
  auto opt = sgd_with();
  const auto reject = [&](const OneCycleLROptions& options, const std::string& text) {
    expect_rejected<ValueError>(opt, text, [&] { OneCycleLR(opt, 1, options); });
  };
  const char* undefined = "You must define either total_steps OR (epochs AND steps_per_epoch)";
  reject({}, undefined);
  reject({.epochs = 3}, undefined);
  reject({.steps_per_epoch = 3}, undefined);
  reject({.total_steps = -1}, "Expected positive integer total_steps, but got -1");
  reject({.total_steps = 0}, "Expected positive integer total_steps, but got 0");
  reject({.epochs = 0, .steps_per_epoch = 3}, "Expected positive integer epochs, but got 0");
  reject({.epochs = 3, .steps_per_epoch = -2},
         "Expected positive integer steps_per_epoch, but got -2");
  reject({.total_steps = 9, .pct_start = 2},
         "Expected float between 0 and 1 pct_start, but got 2.0");
  reject({.total_steps = 9, .anneal_strategy = "foo"},
         "anneal_strategy must be one of 'cos' or 'linear', instead got foo");
}

TEST(OneCycleLR, RejectsStepsAfterTheLast) {
  auto opt = sgd_with();
  OneCycleLR scheduler(opt, 1, {.total_steps = 3});
  for (int t = 0; t < 3; ++t) opt.step(), scheduler.step();
  for (int i = 0; i < 2; ++i)
    expect_rejected<ValueError>(opt,
                                "Tried to step 4 times. The specified number of total steps is 3",
                                [&] { scheduler.step(); });
}

TEST(Schedulers, RejectOptimizersWithoutMomentum) {
  test::StubOptimizer opt({0.1});
  const char* text =
      "optimizer must support momentum or beta1 with `cycle_momentum` option enabled";
  expect_rejected<ValueError>(opt, text, [&] { CyclicLR(opt, 0.1, 0.2); });
  expect_rejected<ValueError>(opt, text, [&] { OneCycleLR(opt, 0.1, {.total_steps = 3}); });
  EXPECT_NO_THROW(CyclicLR(opt, 0.1, 0.2, {.cycle_momentum = false}));
  EXPECT_NO_THROW(OneCycleLR(opt, 0.1, {.total_steps = 3, .cycle_momentum = false}));
  EXPECT_FALSE(opt.param_groups()[0].options().contains("momentum"));
}

TEST(CyclicLR, RejectsUnknownModes) {
  auto opt = sgd_with();
  expect_rejected<ValueError>(opt, "mode is invalid and scale_fn is None",
                              [&] { CyclicLR(opt, 0.1, 1, {.mode = "foo"}); });
  EXPECT_NO_THROW(CyclicLR(opt, 0.1, 1, {.mode = "foo", .scale_fn = [](double) { return 1; }}));
}

TEST(SWALR, RejectsInvalidArguments) {
  auto opt = sgd_with();
  expect_rejected<ValueError>(opt,
                              "anneal_strategy must be one of 'cos' or 'linear', instead got foo",
                              [&] { optim::SWALR(opt, 0.1, {.anneal_strategy = "foo"}); });
  expect_rejected<ValueError>(opt, "anneal_epochs must be equal or greater than 0, got -1",
                              [&] { optim::SWALR(opt, 0.1, {.anneal_epochs = -1}); });
}

TEST(SequentialLR, RejectsInvalidSchedulers) {
  auto opt = sgd_with(), other = sgd_with();
  ConstantLR a(opt), b(opt), foreign(other);
  ReduceLROnPlateau plateau(opt);
  expect_rejected<ValueError>(opt,
                              "SequentialLR expects at least one scheduler, but got no scheduler.",
                              [&] { SequentialLR(opt, {}, {}); });
  expect_rejected<ValueError>(
      opt,
      "Sequential Schedulers expects number of schedulers provided to be one more than the number "
      "of milestone points, but got number of schedulers 2 and the number of milestones to be "
      "equal to 2",
      [&] {
        SequentialLR(opt, {a, b}, {3, 4});
      });
  expect_rejected<ValueError>(
      opt,
      "SequentialLR does not support `ReduceLROnPlateau` scheduler as it requires additional "
      "kwargs to be specified when calling `step`, but got one at index 1 in the given schedulers "
      "sequence.",
      [&] {
        SequentialLR(opt, {a, plateau}, {3});
      });
  expect_rejected<ValueError>(
      opt,
      "SequentialLR expects all schedulers to belong to the same optimizer, but got scheduler "
      "ConstantLR at index 1 has " +
          other.str() + ", which is different from SGD.",
      [&] {
        SequentialLR(opt, {a, foreign}, {3});
      });
  expect_rejected<TypeError>(
      opt, "SequentialLR at index 1 should have `optimizer` as its attribute.", [&] {
        SequentialLR(opt, {a, std::shared_ptr<LRScheduler>()}, {3});
      });
  EXPECT_EQ(a.last_epoch, 0);
  SequentialLR sequence(opt, {a, b}, {3});
  EXPECT_THROW(sequence.step(2), TypeError);
  EXPECT_THROW(sequence.get_lr(), NotImplementedError);
}

TEST(ChainedScheduler, RejectsInvalidSchedulers) {
  auto opt = sgd_with(), other = sgd_with();
  ConstantLR a(opt), foreign(other);
  ReduceLROnPlateau plateau(opt);
  expect_rejected<ValueError>(
      opt, "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.",
      [&] { ChainedScheduler({}); });
  expect_rejected<ValueError>(
      opt,
      "ChainedScheduler does not support `ReduceLROnPlateau` scheduler as it requires additional "
      "kwargs to be specified when calling `step`, but got one at index 0 in the given schedulers "
      "sequence.",
      [&] { ChainedScheduler({plateau}); });
  expect_rejected<ValueError>(
      opt,
      "ChainedScheduler expects all schedulers to belong to the same optimizer, but got scheduler "
      "ConstantLR at index 0 has " +
          opt.str() + ", which is different from SGD.",
      [&] {
        ChainedScheduler({a, foreign}, &other);
      });
}

TEST(Schedulers, RejectDivisionByZero) {
  auto opt = sgd_with();
  const auto reject = [&](LRScheduler& scheduler, const std::string& text) {
    opt.step();
    const std::string state = scheduler.state_dict().repr();
    expect_rejected<ValueError>(opt, text, [&] { scheduler.step(); });
    EXPECT_EQ(scheduler.state_dict().repr(), state);
  };
  StepLR step(opt, 0);
  reject(step, "StepLR.step: step_size is 0: integer modulo by zero");
  CosineAnnealingLR cosine(opt, 0);
  reject(cosine, "CosineAnnealingLR.step: T_max is 0: integer modulo by zero");
  auto zero = sgd_with();
  ConstantLR constant(zero, {.factor = 0, .total_iters = 1});
  EXPECT_EQ(test::error_text<ValueError>([&] { constant.step(); }),
            "ConstantLR.step: factor is 0: float division by zero");
  PolynomialLR polynomial(zero, {.total_iters = 0});
  EXPECT_NO_THROW(polynomial.step());
  EXPECT_THROW(polynomial.step(1), ValueError);
  expect_rejected<ValueError>(
      opt, "CyclicLR: step_size_up + step_size_down is 0: float division by zero",
      [&] { CyclicLR(opt, 0.1, 1, {.step_size_up = 0}); });
  expect_rejected<ValueError>(opt, "OneCycleLR: div_factor is 0: float division by zero",
                              [&] { OneCycleLR(opt, 0.1, {.total_steps = 9, .div_factor = 0}); });
  expect_rejected<ValueError>(opt, "OneCycleLR.step: a phase has no steps: float division by zero",
                              [&] { OneCycleLR(opt, 0.1, {.total_steps = 10, .pct_start = 0.1}); });
}

}  // namespace
}  // namespace taper
