// The code of docs/schedulers.md.
#include <gtest/gtest.h>

#include <cmath>

#include "support/temp_dir.h"
#include "support/warning_capture.h"
#include "taper/taper.h"

namespace taper {
namespace {

namespace lr_scheduler = optim::lr_scheduler;

void train(nn::Linear& net, optim::Optimizer& opt) {
  opt.zero_grad();
  net(ones({1, 2})).sum().backward();
  opt.step();
}

TEST(SchedulersPage, StepsAfterOptimizer) {
  nn::Linear net(2, 2);
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  lr_scheduler::StepLR scheduler(opt, 2, {.gamma = 0.5});
  for (int epoch = 0; epoch < 4; ++epoch) {
    train(net, opt);
    scheduler.step();
  }
  EXPECT_EQ(scheduler.get_last_lr(), std::vector<double>{0.025});
}

TEST(SchedulersPage, ComposesAndSaves) {
  nn::Linear net(2, 2);
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  lr_scheduler::LinearLR warmup(opt, {.start_factor = 0.1, .total_iters = 5});
  lr_scheduler::CosineAnnealingLR cosine(opt, 95);
  lr_scheduler::SequentialLR scheduler(opt, {warmup, cosine}, {5});
  for (int epoch = 0; epoch < 8; ++epoch) train(net, opt), scheduler.step();

  optim::SGD other_opt(net.parameters(), {.lr = 0.1});
  lr_scheduler::LinearLR other_warmup(other_opt);
  lr_scheduler::CosineAnnealingLR other_cosine(other_opt, 1);
  lr_scheduler::SequentialLR other(other_opt, {other_warmup, other_cosine}, {5});
  const test::TempDir directory;
  const std::string path = directory / "training.pt";
  save(Value::dict({{"optimizer", opt.state_dict()}, {"scheduler", scheduler.state_dict()}}), path);
  const Value checkpoint = load(path);
  other_opt.load_state_dict(checkpoint["optimizer"]);
  other.load_state_dict(checkpoint["scheduler"]);
  for (int epoch = 0; epoch < 8; ++epoch) {
    train(net, opt), scheduler.step();
    train(net, other_opt), other.step();
    EXPECT_EQ(other.get_last_lr(), scheduler.get_last_lr());
  }
}

TEST(SchedulersPage, CallsFunctions) {
  nn::Linear net(2, 2);
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  lr_scheduler::LambdaLR scheduler(
      opt, [](std::int64_t epoch) { return std::pow(0.95, static_cast<double>(epoch)); });
  train(net, opt), scheduler.step();
  EXPECT_EQ(scheduler.get_last_lr(), std::vector<double>{0.1 * 0.95});
}

}  // namespace
}  // namespace taper
