// ReduceLROnPlateau: modes, cooldown, limits, metrics that are not finite.
#include "taper/optim/lr_scheduler/plateau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "optim/schedule_support.h"
#include "support/error_text.h"
#include "support/warning_capture.h"
#include "taper/core/error.h"

namespace taper {
namespace {

using optim::lr_scheduler::ReduceLROnPlateau;
using optim::lr_scheduler::ReduceLROnPlateauOptions;
using test::error_text, test::rates_of, test::sgd_with;
using Rates = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns the learning rate after each metric. The initial rate is 1.
Rates rates_after(const Rates& metrics, const ReduceLROnPlateauOptions& options) {
  auto opt = sgd_with({1});
  ReduceLROnPlateau scheduler(opt, options);
  Rates rates;
  for (const double m : metrics) {
    scheduler.step(m);
    EXPECT_EQ(scheduler.get_last_lr(), rates_of(opt));
    rates.push_back(rates_of(opt)[0]);
  }
  return rates;
}

TEST(ReduceLROnPlateau, ReducesAfterPatience) {
  EXPECT_EQ(rates_after({3, 2, 2, 2, 1, 1, 1, 1}, {.factor = 0.5, .patience = 1}),
            (Rates{1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25}));
  EXPECT_EQ(rates_after({1, 2, 3, 3, 3}, {.mode = "max", .factor = 0.5, .patience = 0}),
            (Rates{1, 1, 1, 0.5, 0.25}));
}

TEST(ReduceLROnPlateau, AppliesThreshold) {
  const Rates metrics{4, 3.5, 3.25};
  const auto rates = [&](const char* mode, double threshold) {
    return rates_after(
        metrics, {.factor = 0.5, .patience = 0, .threshold = threshold, .threshold_mode = mode});
  };
  EXPECT_EQ(rates("abs", 0.25), (Rates{1, 1, 0.5}));  // an improvement must exceed the threshold
  EXPECT_EQ(rates("rel", 0.125), (Rates{1, 0.5, 0.5}));
}

TEST(ReduceLROnPlateau, WaitsForCooldown) {
  auto opt = sgd_with({1});
  ReduceLROnPlateau scheduler(opt, {.factor = 0.5, .patience = 0, .cooldown = 2});
  Rates rates;
  std::string cooling;
  for (int t = 0; t < 7; ++t) {
    scheduler.step(1.0);
    rates.push_back(rates_of(opt)[0]);
    cooling += scheduler.in_cooldown() ? 'c' : '.';
  }
  EXPECT_EQ(rates, (Rates{1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25}));
  EXPECT_EQ(cooling, ".cc.cc.");
}

TEST(ReduceLROnPlateau, StopsAtMinLrAndEps) {
  EXPECT_EQ(rates_after({1, 1, 1, 1}, {.factor = 0.5, .patience = 0, .min_lr = 0.375}),
            (Rates{1, 0.5, 0.375, 0.375}));
  EXPECT_EQ(rates_after({1, 1, 1, 1}, {.factor = 0.5, .patience = 0, .eps = 0.25}),
            (Rates{1, 0.5, 0.5, 0.5}));
}

TEST(ReduceLROnPlateau, NaNIsNotAnImprovement) {
  EXPECT_EQ(rates_after({kNaN, kNaN, 1, kNaN, kNaN}, {.factor = 0.5, .patience = 1}),
            (Rates{1, 0.5, 0.5, 0.5, 0.25}));
  auto opt = sgd_with({1});
  ReduceLROnPlateau scheduler(opt);
  scheduler.step(kNaN);
  EXPECT_EQ(scheduler.best, kInfinity);
  EXPECT_EQ(scheduler.num_bad_epochs, 1);
  scheduler.step(kInfinity);  // not an improvement over infinity
  EXPECT_EQ(scheduler.num_bad_epochs, 2);
  scheduler.step(-kInfinity);
  EXPECT_EQ(scheduler.best, -kInfinity);
}

TEST(ReduceLROnPlateau, AcceptsTensorsAndIntegers) {
  auto opt = sgd_with({1});
  ReduceLROnPlateau scheduler(opt);
  scheduler.step(tensor({2.5}));
  EXPECT_EQ(scheduler.best, 2.5);
  scheduler.step(2);
  EXPECT_EQ(scheduler.best, 2);
  EXPECT_EQ(scheduler.last_epoch, 2);
  EXPECT_THROW(scheduler.step(tensor({1.0, 2.0})), Error);
  optim::lr_scheduler::LRScheduler& base = scheduler;
  EXPECT_EQ(error_text<TypeError>([&] { base.step(); }),
            "ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'");
  base.step(1.0);
  EXPECT_EQ(scheduler.best, 1);
}

TEST(ReduceLROnPlateau, WarnsOfEpochArgument) {
  const test::WarningCapture warnings;
  auto opt = sgd_with({1});
  ReduceLROnPlateau scheduler(opt);
  scheduler.step(1.0, 7);
  EXPECT_EQ(scheduler.last_epoch, 7);
  EXPECT_EQ(warnings.count(), 1u);
}

TEST(ReduceLROnPlateau, SupportsGroupsAddedLater) {
  auto opt = sgd_with({1});
  ReduceLROnPlateau scheduler(opt, {.factor = 0.5, .patience = 0, .min_lr = 0.125});
  ReduceLROnPlateau fixed(opt, {.factor = 0.5, .patience = 0, .min_lr = {0.125}});
  fixed.step(1.0);
  opt.add_param_group(std::move(test::groups_with({4})[0]));
  const std::string state = fixed.state_dict().repr();
  EXPECT_EQ(error_text<RuntimeError>([&] { fixed.step(1.0); }),
            "The number of param groups in the `optimizer` (2) differs from when "
            "`ReduceLROnPlateau` was initialized (1), usually due to a new param group being added "
            "to the optimizer. Please modify the `min_lrs` field to match the length of the "
            "`optimizer` param groups.");
  EXPECT_EQ(fixed.state_dict().repr(), state);
  fixed.min_lrs = {0.125, 3};
  fixed.step(1.0);
  EXPECT_EQ(rates_of(opt), (Rates{0.5, 3}));
  scheduler.step(1.0), scheduler.step(1.0);
  EXPECT_EQ(rates_of(opt), (Rates{0.25, 1.5}));
}

TEST(ReduceLROnPlateau, StateDictMatchesPython) {
  auto opt = sgd_with({0.5});
  ReduceLROnPlateau scheduler(opt, {.mode = "max", .patience = 3, .min_lr = 0.25});
  scheduler.step(2.0), scheduler.step(1.0);
  const Value state = scheduler.state_dict();
  EXPECT_EQ(state.repr(),
            "{'factor': 0.1, 'default_min_lr': 0.25, 'min_lrs': [0.25], 'patience': 3, 'cooldown': "
            "0, 'eps': 1e-08, 'last_epoch': 2, '_last_lr': [0.5], 'mode_worse': -inf, 'mode': "
            "'max', 'threshold': 0.0001, 'threshold_mode': 'rel', 'best': 2.0, 'cooldown_counter': "
            "0, 'num_bad_epochs': 1}");
  ReduceLROnPlateau other(opt);
  other.load_state_dict(state);
  EXPECT_EQ(other.state_dict().repr(), state.repr());
  ReduceLROnPlateau listed(opt, {.min_lr = {0.25}});
  EXPECT_TRUE(listed.state_dict()["default_min_lr"].is_none());
  EXPECT_FALSE(opt.param_groups()[0].options().contains("initial_lr"));
}

TEST(ReduceLROnPlateau, RejectsInvalidArguments) {
  auto opt = sgd_with();
  EXPECT_EQ(error_text<ValueError>([&] { ReduceLROnPlateau(opt, {.factor = 1}); }),
            "Factor should be < 1.0.");
  EXPECT_EQ(error_text<ValueError>([&] { ReduceLROnPlateau(opt, {.mode = "foo"}); }),
            "mode foo is unknown!");
  EXPECT_EQ(error_text<ValueError>([&] { ReduceLROnPlateau(opt, {.threshold_mode = "foo"}); }),
            "threshold mode foo is unknown!");
}

}  // namespace
}  // namespace taper
