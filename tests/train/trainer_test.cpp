#include "taper/train/trainer.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <limits>

#include "support/error_text.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "taper/io/save.h"
#include "taper/nn/functional.h"
#include "taper/nn/linear.h"
#include "taper/nn/sequential.h"
#include "taper/optim/lbfgs.h"
#include "taper/optim/lr_scheduler.h"
#include "taper/optim/sgd.h"
#include "taper/train/interrupt.h"
#include "train/small_run.h"

namespace {

using namespace taper;
using taper::test::bytes_of, taper::test::options_of, taper::test::TempDir;
using taper::test::error_text;
using Parts = taper::test::SmallRun;
using train::FitResult, train::Trainer;

TEST(Trainer, TrainsAsALoopWrittenByHand) {
  Parts by_hand, trained;
  manual_seed(1);
  std::vector<double> losses;
  for (int epoch = 0; epoch < 2; ++epoch) {
    by_hand.net.train();
    for (auto& [x, y] : by_hand.loader) {
      by_hand.optimizer.zero_grad();
      const Tensor loss = F::cross_entropy(by_hand.net(x), y);
      loss.backward();
      by_hand.optimizer.step();
      losses.push_back(loss.item<double>());
    }
  }

  manual_seed(1);
  Trainer trainer(trained.net, trained.optimizer, {.epochs = 2, .progress = false});
  std::vector<double> trained_losses;
  trainer.on_step([&](const train::StepResult& s) {
    EXPECT_EQ(s.batches, 6);
    EXPECT_EQ(s.samples, s.batch == 6 ? 2 : 4);
    EXPECT_EQ(s.step, (s.epoch - 1) * 6 + s.batch);
    trained_losses.push_back(s.loss);
  });
  EXPECT_EQ(trainer.fit(trained.loader, trained.loss_fn()), FitResult::finished);
  EXPECT_EQ(trained_losses, losses);
  EXPECT_EQ(save_to_bytes(trained.net.state_dict()), save_to_bytes(by_hand.net.state_dict()));
  EXPECT_EQ(trainer.history().size(), 2u);
}

TEST(Trainer, ResumesAtEveryStepToTheBit) {
  std::vector<std::byte> expected;
  std::int64_t steps = 0;
  {
    Parts parts;
    Trainer trainer(parts.net, parts.optimizer, options_of(parts));
    EXPECT_EQ(parts.fit(trainer), FitResult::finished);
    expected = bytes_of(trainer);
    steps = trainer.step();
    EXPECT_EQ(steps, 9);  // three steps of two batches per epoch
  }
  for (std::int64_t stop = 1; stop <= steps; ++stop) {
    const TempDir dir;
    {
      Parts parts;
      Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
      trainer.on_step([&](const train::StepResult& s) {
        if (s.step == stop) trainer.stop();
      });
      EXPECT_EQ(parts.fit(trainer), FitResult::stopped);
    }
    Parts parts(99);  // other weights
    Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
    EXPECT_TRUE(trainer.resume());
    EXPECT_EQ(trainer.step(), stop);
    randn({3});
    EXPECT_EQ(parts.fit(trainer), FitResult::finished);
    EXPECT_EQ(bytes_of(trainer), expected) << "stopped after step " << stop;
  }
}

TEST(Trainer, ContinuesAfterStopAndAfterExceptions) {
  Parts uninterrupted, parts;
  manual_seed(2);
  Trainer whole(uninterrupted.net, uninterrupted.optimizer, options_of(uninterrupted));
  uninterrupted.fit(whole);

  manual_seed(2);
  Trainer trainer(parts.net, parts.optimizer, options_of(parts));
  int calls = 0;
  trainer.on_step([&](const train::StepResult& s) {
    if (s.step == 2 || s.step == 7) trainer.stop();
    if (s.step == 4 && ++calls == 1) throw std::runtime_error("a callback failed");
  });
  EXPECT_EQ(parts.fit(trainer), FitResult::stopped);
  EXPECT_THROW(parts.fit(trainer), std::runtime_error);
  EXPECT_EQ(parts.fit(trainer), FitResult::stopped);
  EXPECT_EQ(parts.fit(trainer), FitResult::finished);
  EXPECT_EQ(bytes_of(trainer), bytes_of(whole));
}

TEST(Trainer, SetsTheEpochOfTheSampler) {
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const auto sampler = std::make_shared<data::DistributedSampler>(8);
  data::DataLoader loader(data::TensorDataset(arange(8).to(float32).view({8, 1})),
                          {.batch_size = 8, .sampler = sampler});
  std::vector<std::vector<float>> orders;
  Trainer trainer(net, optimizer, {.epochs = 2, .progress = false});
  trainer.fit(loader, [&](const auto& batch) {
    const Tensor x = std::get<0>(batch);
    orders.emplace_back(x.template data<float>().begin(), x.template data<float>().end());
    return net(x).sum();
  });
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    sampler->set_epoch(epoch);
    const std::vector<std::int64_t> expected = sampler->indices();
    EXPECT_EQ(orders[static_cast<std::size_t>(epoch)],
              std::vector<float>(expected.begin(), expected.end()));
  }
}

TEST(Trainer, StopsAtASignal) {
  const TempDir dir;
  Parts parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
  trainer.on_step([](const train::StepResult& s) {
    if (s.step == 4) std::raise(SIGINT);
  });
  EXPECT_EQ(parts.fit(trainer), FitResult::interrupted);
  EXPECT_EQ(trainer.step(), 4);
  EXPECT_EQ(train::Interrupt::signal(), SIGINT);
  EXPECT_TRUE(std::filesystem::exists(dir / "run/last.pt"));
}

TEST(Trainer, KeepsTheBestCheckpoints) {
  const TempDir dir;
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const std::vector<Tensor> batches{ones({2, 1})};
  Trainer trainer(net, optimizer,
                  {.epochs = 5,
                   .monitor = "score",
                   .monitor_mode = train::MonitorMode::max,
                   .checkpoint = {.folder = dir / "run", .keep_best = 2},
                   .progress = false});
  const double scores[] = {3, 5, 1, std::numeric_limits<double>::quiet_NaN(), 4};
  std::vector<bool> best;
  trainer.on_epoch([&](const train::EpochResult& e) { best.push_back(e.is_best); });
  trainer.fit(
      batches, [&](const Tensor& x) { return net(x).sum(); },
      [&] {
        return Value::dict({{"score", scores[trainer.epoch()]}});
      });
  EXPECT_EQ(best, std::vector<bool>({true, true, false, false, false}));
  for (const int epoch : {1, 2, 3, 4, 5})
    EXPECT_EQ(std::filesystem::exists(dir / ("run/epoch-000" + std::to_string(epoch) + ".pt")),
              epoch == 2 || epoch == 5)
        << epoch;
  trainer.load(dir / "run/epoch-0002.pt");
  EXPECT_EQ(trainer.epoch(), 2);
}

TEST(Trainer, EndsEarlyWithoutImprovement) {
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  optim::lr_scheduler::ReduceLROnPlateau plateau(optimizer, {.patience = 0});
  const std::vector<Tensor> batches{ones({2, 1})};
  Trainer trainer(net, optimizer,
                  {.epochs = 9,
                   .schedulers = {plateau},
                   .monitor = "error",
                   .early_stopping = {.patience = 2, .min_delta = 0.1},
                   .progress = false});
  const double errors[] = {3, 2, 1.95, 1.95, 0};
  const auto fit = [&] {
    return trainer.fit(
        batches, [&](const Tensor& x) { return net(x).sum(); },
        [&] {
          return Value::dict({{"error", errors[trainer.epoch()]}});
        });
  };
  EXPECT_EQ(fit(), FitResult::early_stopped);
  EXPECT_EQ(trainer.epoch(), 4);
  EXPECT_NEAR(optimizer.param_groups()[0]["lr"].as_double(), 0.01, 1e-12);
  EXPECT_EQ(fit(), FitResult::early_stopped);
}

TEST(Trainer, StepsAnOptimizerWithAClosure) {
  manual_seed(0);
  nn::Linear net(2, 1);
  optim::LBFGS optimizer(net.parameters(), {.lr = 1, .line_search_fn = "strong_wolfe"});
  const Tensor x = randn({20, 2}), y = (x.sum(1, true) + 1);
  const std::vector<std::pair<Tensor, Tensor>> batches{{x, y}};
  Trainer trainer(net, optimizer, {.epochs = 3, .progress = false});
  trainer.fit(batches,
              [&](const auto& batch) { return F::mse_loss(net(batch.first), batch.second); });
  EXPECT_LT(trainer.history().back()["train_loss"].as_double(), 1e-6);
}

TEST(Trainer, NamesTheModuleOfALossThatIsNotFinite) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(2, 3), nn::ReLU(), nn::Sequential{nn::Linear(3, 2)}};
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  std::vector<Tensor> batches{ones({2, 2}), ones({2, 2})};
  Trainer trainer(net, optimizer, {.progress = false});
  const auto fit = [&] {
    return error_text([&] { trainer.fit(batches, [&](const Tensor& x) { return net(x).sum(); }); });
  };
  trainer.on_step([&](const train::StepResult& s) {
    if (s.step != 1) return;
    const NoGrad guard;
    net.parameters()[2].fill_(std::numeric_limits<double>::infinity());
  });
  EXPECT_EQ(fit(),
            "Trainer: the loss is nan in epoch 1 after batch 1 (step 2): the first module with a "
            "result that is not finite is '2.0' (Linear): 4 of 4 elements; its parameter 'weight' "
            "is not finite");
  {
    const NoGrad guard;
    net.parameters()[2].fill_(1);
    batches[1].fill_(std::numeric_limits<double>::quiet_NaN());
  }
  EXPECT_EQ(fit(),
            "Trainer: the loss is nan in epoch 1 after batch 1 (step 2): the first module with a "
            "result that is not finite is '0' (Linear): 6 of 6 elements; its arguments are not "
            "finite");
  EXPECT_EQ(trainer.step(), 1);
}

TEST(Trainer, NamesTheParameterOfAGradientThatIsNotFinite) {
  nn::Sequential net{nn::Linear(2, 2), nn::Linear(2, 1)};
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  Trainer trainer(net, optimizer, {.clip_grad_norm = 1.0, .progress = false});
  net.parameters()[3].register_hook(
      [](const Tensor& g) { return g * std::numeric_limits<double>::quiet_NaN(); });
  const std::vector<Tensor> batches{ones({2, 2})};
  EXPECT_EQ(
      error_text([&] { trainer.fit(batches, [&](const Tensor& x) { return net(x).sum(); }); }),
      "Trainer: the norm of the gradients is nan in epoch 1 after batch 0 (step 1); that of "
      "'1.bias' is not finite");
}

TEST(Trainer, SavesAndLoadsAfterAFailedFirstStep) {
  Parts parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts));
  EXPECT_THROW(trainer.fit(parts.loader,
                           [](const std::pair<Tensor, Tensor>&) -> Tensor {
                             throw std::runtime_error("the first step failed");
                           }),
               std::runtime_error);
  trainer.load_state_dict(trainer.state_dict());
  EXPECT_EQ(parts.fit(trainer), FitResult::finished);
}

TEST(Trainer, RestoresTrainingModeIfTheValidationFails) {
  Parts parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts));
  EXPECT_THROW(trainer.fit(parts.loader, parts.loss_fn(),
                           []() -> Value { throw std::runtime_error("validation failed"); }),
               std::runtime_error);
  EXPECT_TRUE(parts.net.training);
}

TEST(Trainer, RejectsWrongCheckpointsWithoutChanges) {
  const TempDir dir;
  Parts parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
  EXPECT_FALSE(trainer.resume());
  parts.fit(trainer);
  nn::Linear other(4, 2);
  optim::SGD sgd(other.parameters(), {.lr = 0.1});
  const auto before = bytes_of(trainer);
  Trainer(other, sgd).save(dir / "other.pt");
  EXPECT_NE(
      error_text([&] { trainer.load(dir / "other.pt"); }).find("is not a checkpoint of this run"),
      std::string::npos);
  EXPECT_EQ(bytes_of(trainer), before);

  Value state = trainer.state_dict();
  state.as_dict().set("optimizer_state_dict", sgd.state_dict());
  EXPECT_NE(error_text([&] { trainer.load_state_dict(state); }), "");
  EXPECT_EQ(bytes_of(trainer), before);
  state = trainer.state_dict();
  Value file = Value::dict({{"value", 0.0}, {"name", "../other.pt"}});
  state.as_dict().set("best_files", Value::list({file}));
  EXPECT_NE(error_text([&] { trainer.load_state_dict(state); }).find("'../other.pt'"),
            std::string::npos);
  EXPECT_EQ(bytes_of(trainer), before);
  state = trainer.state_dict();
  state.as_dict().set("batch", 1);
  EXPECT_NE(error_text([&] { trainer.load_state_dict(state); }), "");
  EXPECT_EQ(bytes_of(trainer), before);
}

TEST(Trainer, ChecksOptionsAndResults) {
  nn::Linear net(1, 1);
  optim::SGD optimizer(net.parameters(), {.lr = 0.1});
  const std::vector<Tensor> batches{ones({2, 1})};
  EXPECT_EQ(error_text([&] { Trainer(net, optimizer, {.accumulate = 0}); }),
            "Trainer: accumulate: expected >= 1, got 0");
  EXPECT_EQ(error_text([&] { Trainer(net, optimizer, {.checkpoint = {.keep_best = 1}}); }),
            "Trainer: checkpoint.folder is empty, but other options of it are set");
  EXPECT_EQ(error_text([&] { Trainer(net, std::vector<optim::Optimizer*>()); }),
            "Trainer: expected at least one optimizer, got none");
  Trainer trainer(net, optimizer, {.monitor = "accuracy", .progress = false});
  EXPECT_EQ(error_text([&] { trainer.fit(batches, [&](const Tensor& x) { return net(x); }); }),
            "Trainer: expected a loss of one element, got shape [2, 1]");
  EXPECT_EQ(
      error_text([&] { trainer.fit(batches, [&](const Tensor& x) { return net(x).sum(); }); }),
      "Trainer: monitor: expected one of the metrics train_loss, got 'accuracy'");
  const std::vector<Tensor> none;
  Trainer empty(net, optimizer, {.progress = false});
  EXPECT_EQ(error_text([&] { empty.fit(none, [&](const Tensor& x) { return net(x).sum(); }); }),
            "Trainer: the loader has no batches");
}

}  // namespace
