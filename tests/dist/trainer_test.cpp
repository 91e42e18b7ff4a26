// train::Trainer on several ranks: steps, metrics, decisions, errors.
#include "taper/train/trainer.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <limits>

#include "dist/support.h"
#include "dist/trainer_run.h"
#include "support/temp_dir.h"
#include "taper/taper.h"

namespace taper::distributed {
namespace {

using test::contains;
using test::errors_on_ranks;
using test::expect_close;
using test::on_ranks;
using test::RankRun;
using test::TempDir;
using train::FitResult, train::Trainer, train::TrainerOptions;

TEST(TrainerOnRanks, MatchesOneProcessOnTheGlobalBatch) {
  const TrainerOptions options{.epochs = 3, .clip_grad_norm = 0.5, .progress = false};
  for (const int size : {2, 3}) {
    RankRun alone;
    Trainer single(alone.net, alone.optimizer, options);
    single.fit(alone.loader, alone.loss_fn());
    on_ranks(size, [&](int rank) {
      RankRun run(rank, size);
      const DistributedDataParallel ddp(run.net);
      Trainer trainer(run.net, run.optimizer, options);
      EXPECT_EQ(trainer.fit(run.loader, run.loss_fn()), FitResult::finished);
      expect_close(run, alone);
      EXPECT_EQ(trainer.step(), 6);
      for (std::size_t e = 0; e < 3; ++e)
        EXPECT_NEAR(trainer.history()[e]["train_loss"].as_double(),
                    single.history()[e]["train_loss"].as_double(), 1e-5);
    });
  }
}

TEST(TrainerOnRanks, EqualsAccumulatedBatchesToTheBit) {
  const Generator generator(5);
  std::vector<std::tuple<Tensor, Tensor>> batches;
  for (int i = 0; i < 8; ++i)
    batches.emplace_back(randn({4, 3}, {}, generator), randn({4, 1}, {}, generator));
  RankRun alone;
  Trainer single(alone.net, alone.optimizer,
                 {.epochs = 2, .accumulate = 2, .clip_grad_norm = 0.5, .progress = false});
  single.fit(batches, alone.loss_fn());
  on_ranks(2,
           [&](int rank) {
             RankRun run(rank, 2);
             const DistributedDataParallel ddp(run.net);
             std::vector<std::tuple<Tensor, Tensor>> part;
             for (std::size_t i = static_cast<std::size_t>(rank); i < 8; i += 2)
               part.push_back(batches[i]);
             Trainer trainer(run.net, run.optimizer,
                             {.epochs = 2, .clip_grad_norm = 0.5, .progress = false});
             trainer.fit(part, run.loss_fn());
             EXPECT_EQ(save_to_bytes(run.net.state_dict()), save_to_bytes(alone.net.state_dict()));
           },
           {.deterministic = true});
}

TEST(TrainerOnRanks, AgreesOnPlateausAndTheEndOfTheRun) {
  const double errors[2][6] = {{4, 3, 2, 1, 0, 0}, {0, 0, 1, 3, 4, 4}};
  on_ranks(2, [&](int rank) {
    RankRun run(rank, 2);
    const DistributedDataParallel ddp(run.net);
    Trainer trainer(run.net, run.optimizer,
                    {.epochs = 6,
                     .schedulers = {run.plateau},
                     .monitor = "error",
                     .early_stopping = {.patience = 2},
                     .progress = false});
    std::vector<bool> best;
    trainer.on_epoch([&](const train::EpochResult& e) { best.push_back(e.is_best); });
    const FitResult result = trainer.fit(run.loader, run.loss_fn(), [&] {
      return Value::dict({{"error", errors[rank][trainer.epoch()]}});
    });
    EXPECT_EQ(result, FitResult::early_stopped);
    EXPECT_EQ(trainer.epoch(), 4);  // means 2, 1.5, 1.5, 2
    EXPECT_EQ(trainer.history()[1]["error"].as_double(), 1.5);
    EXPECT_EQ(best, std::vector<bool>({true, true, false, false}));
    EXPECT_NEAR(run.learning_rate(), 0.001, 1e-12);
  });
}

TEST(TrainerOnRanks, AcceptsAValidationOnOneRank) {
  on_ranks(3, [](int rank) {
    RankRun run(rank, 3);
    const DistributedDataParallel ddp(run.net);
    Trainer trainer(run.net, run.optimizer, {.monitor = "score", .progress = false});
    Trainer::Validate validate;
    if (rank == 1) validate = [] { return Value::dict({{"score", 7}}); };
    trainer.fit(run.loader, run.loss_fn(), validate);
    EXPECT_EQ(trainer.history()[0]["score"].as_double(), 7);
  });
}

TEST(TrainerOnRanks, StopsAfterTheSameStep) {
  for (const bool is_signal : {false, true})
    on_ranks(2, [&](int rank) {
      RankRun run(rank, 2);
      const DistributedDataParallel ddp(run.net);
      Trainer trainer(run.net, run.optimizer, {.epochs = 4, .progress = false});
      trainer.on_step([&](const train::StepResult& s) {
        if (rank != 1 || s.step != 3) return;
        if (is_signal)
          std::raise(SIGTERM);
        else
          trainer.stop();
      });
      EXPECT_EQ(trainer.fit(run.loader, run.loss_fn()),
                is_signal ? FitResult::interrupted : FitResult::stopped);
      EXPECT_EQ(trainer.step(), 3);
      EXPECT_EQ(trainer.fit(run.loader, run.loss_fn()), FitResult::finished);
      EXPECT_EQ(trainer.step(), 8);
    });
}

TEST(TrainerOnRanks, WritesTheFilesOfTheFirstRank) {
  const TempDir dir;
  RankRun alone;
  on_ranks(2, [&](int rank) {
    RankRun run(rank, 2);
    const DistributedDataParallel ddp(run.net);
    // Each rank has a folder of its own, so that the files show which rank has written them.
    const std::string folder = dir / ("run-" + std::to_string(rank));
    Trainer trainer(
        run.net, run.optimizer,
        {.epochs = 3, .checkpoint = {.folder = folder, .every_steps = 1}, .progress = false});
    trainer.fit(run.loader, run.loss_fn());
    EXPECT_TRUE(std::filesystem::exists(dir / "run-0/last.pt"));  // already, on all ranks
    EXPECT_FALSE(std::filesystem::exists(dir / "run-1"));
    trainer.save(dir / ("saved-" + std::to_string(rank) + ".pt"));
    EXPECT_TRUE(std::filesystem::exists(dir / "saved-0.pt"));
    EXPECT_FALSE(std::filesystem::exists(dir / "saved-1.pt"));
    EXPECT_EQ(test::error_text([&] { trainer.resume(); }),
              "Trainer.resume: '" + folder + "/last.pt' " +
                  (rank == 0 ? "exists" : "does not exist") +
                  " on this rank, unlike on others; the folder must be the same for all ranks");
    if (rank == 0) alone.net.load_state_dict(run.net.state_dict());
  });
  RankRun other;
  Trainer trainer(other.net, other.optimizer, {});
  trainer.load(dir / "run-0/last.pt");
  expect_close(other, alone);
}

TEST(TrainerOnRanks, RejectsLoadersOfDifferentLengths) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    RankRun run(rank, 2);
    const DistributedDataParallel ddp(run.net);
    std::vector<std::tuple<Tensor, Tensor>> batches;
    for (int i = 0; i < 3 - rank; ++i) batches.emplace_back(ones({2, 3}), ones({2, 1}));
    Trainer(run.net, run.optimizer, {.progress = false}).fit(batches, run.loss_fn());
  });
  for (const std::string& error : errors)
    EXPECT_EQ(error,
              "Trainer: the loaders of all ranks must return the same number of batches: in epoch "
              "1, rank 0 has read 3, rank 1 has read 2. Use data::DistributedSampler");
}

TEST(TrainerOnRanks, ThrowsTheErrorOfOneRankOnAll) {
  const TempDir dir;
  save(Value(1), dir / "file");
  // The function that fails on a rank: of the loss, a step, an epoch, the validation, a file.
  for (const char* const place : {"loss", "step", "epoch", "validation", "file"}) {
    const auto errors = errors_on_ranks(3, [&](int rank) {
      bool fails = true;
      const auto fail_at = [&](const char* here) {
        if (fails && rank == 1 && std::string(here) == place)
          throw KeyError(std::string(here) + " failed");
      };
      RankRun run(rank, 3);
      const DistributedDataParallel ddp(run.net);
      TrainerOptions options{.epochs = 2, .progress = false};
      if (std::string(place) == "file") options.checkpoint.folder = dir / "file/run";
      Trainer trainer(run.net, run.optimizer, options);
      trainer.on_step([&](const train::StepResult&) { fail_at("step"); });
      trainer.on_epoch([&](const train::EpochResult&) { fail_at("epoch"); });
      const auto fit = [&] {
        return trainer.fit(
            run.loader,
            [&](const auto& batch) {
              fail_at("loss");
              return run.loss_fn()(batch);
            },
            [&] {
              fail_at("validation");
              return Value::dict({{"accuracy", 1}});
            });
      };
      try {
        fit();
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), std::string(place) == "file" ? ErrorKind::io : ErrorKind::key);
        fails = false;
        if (std::string(place) != "file") { EXPECT_EQ(fit(), FitResult::finished) << place; }
        throw;
      }
    });
    if (std::string(place) == "file") {
      EXPECT_TRUE(contains(errors[0], "file/run")) << errors[0];
      EXPECT_EQ(errors[2], "rank 0: " + errors[0]);
    } else {
      EXPECT_EQ(errors[1], std::string(place) + " failed");
      EXPECT_EQ(errors[0], "rank 1: " + errors[1]);
      EXPECT_EQ(errors[2], "rank 1: " + errors[1]);
    }
  }
}

TEST(TrainerOnRanks, RejectsALossOfOneRankThatIsNotFinite) {
  const auto errors = errors_on_ranks(2, [](int rank) {
    manual_seed(0);
    nn::Sequential net{nn::Linear(2, 3), nn::BatchNorm1d(3), nn::Linear(3, 1)};
    const DistributedDataParallel ddp(net);
    optim::SGD optimizer(net.parameters(), {.lr = 0.1});
    std::vector<Tensor> batches{ones({2, 2}), ones({2, 2})};
    if (rank == 1) batches[1].fill_(std::numeric_limits<double>::quiet_NaN());
    Trainer trainer(net, optimizer, {.progress = false});
    try {
      trainer.fit(batches, [&](const Tensor& x) { return net(x).sum(); });
    } catch (const RuntimeError&) {
      EXPECT_EQ(trainer.step(), 1);
      batches[1].fill_(1);
      EXPECT_EQ(trainer.fit(batches, [&](const Tensor& x) { return net(x).sum(); }),
                FitResult::finished);
      throw;
    }
  });
  EXPECT_EQ(errors[1],
            "Trainer: the loss is nan in epoch 1 after batch 1 (step 2): the first module with a "
            "result that is not finite is '0' (Linear): 6 of 6 elements; its arguments are not "
            "finite");
  EXPECT_EQ(errors[0], "rank 1: " + errors[1]);
}

TEST(TrainerOnRanks, EvaluatesClosuresOnTheMeanLoss) {
  on_ranks(2, [](int rank) {
    manual_seed(1);
    nn::Linear net(3, 1);
    const DistributedDataParallel ddp(net);
    optim::LBFGS optimizer(net.parameters(), {.lr = 1, .line_search_fn = "strong_wolfe"});
    const Tensor x = randn({20, 3});
    const std::vector<std::pair<Tensor, Tensor>> batches{{x, x.sum(1, true) + 4 * rank}};
    Trainer trainer(net, optimizer, {.epochs = 3, .progress = false});
    trainer.fit(batches,
                [&](const auto& batch) { return F::mse_loss(net(batch.first), batch.second); });
    EXPECT_TRUE(allclose(net.weight, ones({1, 3}), 1e-3, 1e-3));
    EXPECT_TRUE(allclose(*net.bias, full({1}, 2.0), 1e-3, 1e-3));
    EXPECT_NEAR(trainer.history().back()["train_loss"].as_double(), 4, 1e-3);
  });
}

TEST(TrainerOnRanks, TrainsSeparateModulesWithoutSynchronization) {
  on_ranks(2, [](int rank) {
    RankRun run(rank, 2);
    std::vector<std::tuple<Tensor, Tensor>> batches;
    for (int i = 0; i < 3 - rank; ++i) batches.emplace_back(ones({2, 3}), ones({2, 1}));
    Trainer trainer(run.net, run.optimizer, {.progress = false, .synchronize_ranks = false});
    EXPECT_EQ(trainer.fit(batches, run.loss_fn()), FitResult::finished);
    EXPECT_EQ(trainer.step(), 3 - rank);
  });
}

}  // namespace
}  // namespace taper::distributed
