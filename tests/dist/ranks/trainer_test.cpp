// train::Trainer in several processes.
#include "taper/train/trainer.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "dist/trainer_run.h"
#include "support/error_text.h"
#include "support/temp_dir.h"
#include "taper/dist/dist.h"

namespace taper::distributed {
namespace {

using test::RankRun;
using train::FitResult, train::Trainer;

/// Returns a folder of rank 0 on all ranks.
std::string shared_folder(const test::TempDir& own) {
  Values path{Value(own / "run")};
  broadcast_object_list(path, 0);
  return path[0].as_string();
}

TEST(TrainerOnRanks, ContinuesAfterASignalAsOneProcess) {
  const test::TempDir dir;
  const std::string folder = shared_folder(dir);
  const int rank = get_rank();
  RankRun alone;
  Trainer(alone.net, alone.optimizer, {.epochs = 3, .progress = false, .synchronize_ranks = false})
      .fit(alone.loader, alone.loss_fn());
  const auto fit = [&](std::int64_t last_step) {
    RankRun run(rank, get_world_size());
    const DistributedDataParallel ddp(run.net);
    Trainer trainer(run.net, run.optimizer,
                    {.epochs = 3, .checkpoint = {.folder = folder}, .progress = false});
    trainer.on_step([&](const train::StepResult& s) {
      if (rank == 1 && s.step == last_step) std::raise(SIGTERM);
    });
    EXPECT_EQ(trainer.resume(), last_step == 0);
    const FitResult result = trainer.fit(run.loader, run.loss_fn());
    if (last_step == 0) test::expect_close(run, alone);
    EXPECT_TRUE(std::filesystem::exists(folder + "/last.pt"));
    return result;
  };
  EXPECT_EQ(fit(3), FitResult::interrupted);
  EXPECT_EQ(fit(0), FitResult::finished);
  barrier();  // the folder is removed by rank 0
}

TEST(TrainerOnRanks, ThrowsTheErrorOfOneRankOnAll) {
  const int rank = get_rank();
  RankRun run(rank, get_world_size());
  const DistributedDataParallel ddp(run.net);
  Trainer trainer(run.net, run.optimizer, {.progress = false});
  trainer.on_step([&](const train::StepResult& s) {
    if (rank == 1 && s.step == 1) throw KeyError("a callback failed");
  });
  EXPECT_EQ(test::error_text<KeyError>([&] { trainer.fit(run.loader, run.loss_fn()); }),
            rank == 1 ? "a callback failed" : "rank 1: a callback failed");
  EXPECT_EQ(trainer.fit(run.loader, run.loss_fn()), FitResult::finished);
}

}  // namespace
}  // namespace taper::distributed
