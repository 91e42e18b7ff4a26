// Run with every optimizer and schedule: learns, stops and resumes to the same bits.
#include "run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schedule.h"
#include "support/error_text.h"
#include "support/temp_dir.h"
#include "taper/core/error.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/optim/make.h"
#include "taper/taper.h"

namespace training {
namespace {

using taper::Tensor, taper::Value;
using taper::test::error_text;

/// 30 images of 2 x 2 pixels in 3 classes: the index of the brightest of the first 3 pixels.
Examples tiny_examples() {
  taper::manual_seed(7);
  const Tensor images = taper::rand({30, 1, 2, 2});
  const Tensor labels = images.reshape({30, 4}).narrow(1, 0, 3).argmax(1);
  return {images.narrow(0, 0, 20), images.narrow(0, 20, 10), labels.narrow(0, 0, 20),
          labels.narrow(0, 20, 10)};
}
std::shared_ptr<taper::nn::Module> tiny_net() {
  namespace nn = taper::nn;
  return std::make_shared<nn::Sequential>(
      nn::Sequential{nn::Flatten(), nn::Linear(4, 6), nn::Tanh(), nn::Linear(6, 3)});
}

struct TinyRun : Run {
  explicit TinyRun(const Settings& settings) : Run(settings, tiny_examples(), tiny_net) {}
  explicit TinyRun(const std::string& checkpoint)
      : Run(checkpoint, tiny_examples(), tiny_net, "this test") {}
};

Settings tiny(const std::string& optimizer, const std::string& schedule, std::int64_t epochs = 4) {
  return {.epochs = epochs, .batch = 5, .optimizer = optimizer, .schedule = schedule};
}

void expect_same_weights(Run& a, Run& b) {
  const auto first = a.module().named_parameters(), second = b.module().named_parameters();
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(taper::equal(first[i].value, second[i].value)) << first[i].name;
}

/// Stops in the middle of an epoch, after its last batch and between epochs, resumes, and compares
/// with an uninterrupted run.
void expect_resumes(const Settings& settings) {
  const taper::test::TempDir dir;
  const std::string path = dir / "checkpoint.pt";
  TinyRun whole(settings);
  ASSERT_TRUE(whole.run());
  EXPECT_TRUE(std::isfinite(whole.history().back().train_loss));
  for (const int stop : {2, 4, 9}) {
    SCOPED_TRACE(stop);
    TinyRun part(settings);
    int batch = 0;
    ASSERT_FALSE(part.run([&](double) { return ++batch == stop; }));
    part.save(path);
    TinyRun rest(path);
    ASSERT_TRUE(rest.run());
    expect_same_weights(whole, rest);
  }
}

TEST(RunWithOptimizer, LearnsAndResumesToSameBits) {
  for (const std::string_view name : taper::optim::optimizer_names()) {
    SCOPED_TRACE(name);
    // LBFGS requires the same loss in every step: with batches that differ, it diverges to NaN for
    // some initial weights, also in PyTorch.
    const bool needs_whole_batch = name == "LBFGS";
    Settings settings = tiny(std::string(name), "CosineAnnealingLR", needs_whole_batch ? 12 : 4);
    if (needs_whole_batch) settings.batch = 20;
    expect_resumes(settings);
    settings.schedule = "", settings.epochs = 12;
    TinyRun run(settings);
    run.run();
    EXPECT_LT(run.history().back().train_loss, run.history().front().train_loss);
  }
}

TEST(RunWithSchedule, ResumesToSameBits) {
  for (const std::string& name : schedule_names()) {
    SCOPED_TRACE(name);
    for (const char* optimizer : {"SGD", "AdamW"}) expect_resumes(tiny(optimizer, name));
  }
}

TEST(RunWithSchedule, AcceptsRunsOfOneStep) {
  for (const std::string& name : schedule_names()) {
    SCOPED_TRACE(name);
    Settings settings = tiny("AdamW", name, 1);
    settings.batch = 20;
    EXPECT_TRUE(TinyRun(settings).run());
  }
}

/// Returns the rates of a schedule after each epoch, or each batch.
std::vector<double> rates(const std::string& name, std::int64_t epochs, std::int64_t steps = 1) {
  taper::optim::SGD opt({taper::ones({1}, {.requires_grad = true})}, {.lr = 1, .momentum = 0.9});
  const auto schedule = make_schedule(name, opt, {epochs, steps});
  std::vector<double> found = schedule->get_last_lr();
  for (std::int64_t t = 0; t < epochs * steps - 1; ++t) {
    opt.step();
    schedule->step(name == "ReduceLROnPlateau" ? std::optional<taper::Scalar>(1.0) : std::nullopt);
    found.push_back(schedule->get_last_lr()[0]);
  }
  return found;
}

TEST(MakeSchedule, FitsTheLengthOfTheRun) {
  using Rates = std::vector<double>;
  const auto near = [](const Rates& found, const Rates& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
  };
  near(rates("StepLR", 6), {1, 1, 0.1, 0.1, 0.01, 0.01});
  near(rates("MultiStepLR", 8), {1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01});
  near(rates("PolynomialLR", 4), {1, 0.75, 0.5, 0.25});
  near(rates("CosineAnnealingLR", 4), {1, 0.5 + std::sqrt(0.125), 0.5, 0.5 - std::sqrt(0.125)});
  near(rates("CosineAnnealingWarmRestarts", 4), {1, 0.5, 1, 0.5});
  near(rates("ExponentialLR", 2), {1, 0.1});
  near(rates("LambdaLR", 2), {1, 0.1});
  near(rates("MultiplicativeLR", 2), {1, 0.1});
  near(rates("CyclicLR", 4, 1), {0.1, 0.55, 1, 0.55});
  near(rates("SequentialLR", 3), {0.1, 1, 0.5});
  near(rates("SWALR", 4), {1, 0.1, 0.1, 0.1});
  const Rates cycle = rates("OneCycleLR", 5, 4);
  EXPECT_NEAR(cycle[0], 0.04, 1e-12);
  EXPECT_NEAR(cycle[5], 1, 1e-12);
  EXPECT_NEAR(cycle[19], 4e-6, 1e-12);
}

TEST(MakeSchedule, ListsAllSchedulers) {
  EXPECT_EQ(schedule_names().size(), taper::optim::lr_scheduler::scheduler_names().size() + 4);
  EXPECT_TRUE(error_text<taper::AttributeError>([] {
                rates("Linear", 2);
              }).starts_with("lr_scheduler.make: unknown scheduler 'Linear', expected one of"));
}

TEST(RunWithOptimizer, CombinesMuonWithAdamW) {
  const taper::test::TempDir dir;
  TinyRun run(tiny("Muon", "OneCycleLR", 1));
  run.run();
  run.save(dir / "muon.pt");
  const Value saved = taper::load(dir / "muon.pt");
  const Value states = saved["optimizer_state_dict"];
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0]["param_groups"][0]["adjust_lr_fn"].as_string(), "match_rms_adamw");
  EXPECT_EQ(states[0]["state"].size(), 2u);                             // weights
  EXPECT_TRUE(states[1]["state"][0].as_dict().contains("exp_avg_sq"));  // biases
  EXPECT_EQ(saved["step_scheduler_state_dict"].size(), 2u);
  EXPECT_EQ(error_text<taper::ValueError>([] {
              training::Run(tiny("Muon", ""), tiny_examples(), [] {
                return std::make_shared<taper::nn::Sequential>(
                    taper::nn::Sequential{taper::nn::BatchNorm2d(1), taper::nn::Flatten()});
              });
            }),
            "Muon: the network has no matrices among its parameters. Use another optimizer");
}

TEST(RunWithOptimizer, RejectsSettingsThatItDoesNotHave) {
  Settings settings = tiny("Adam", "");
  settings.momentum = 0.9;
  EXPECT_EQ(error_text<taper::TypeError>([&] { TinyRun run(settings); }),
            "Adam.__init__() got an unexpected keyword argument 'momentum'");
}

TEST(RunWithSchedule, RejectsMoreEpochsThanOneCycle) {
  TinyRun run(tiny("SGD", "OneCycleLR", 2));
  EXPECT_EQ(error_text<taper::ValueError>([&] { run.set_epochs(3); }),
            "epochs: the schedule OneCycleLR of the run ends after epoch 2, got 3");
  run.set_epochs(1);
  EXPECT_TRUE(run.run());
  EXPECT_EQ(run.epoch(), 1);
}

}  // namespace
}  // namespace training
