// Checkpoints of train::Trainer on several ranks.
#include <gtest/gtest.h>

#include "dist/support.h"
#include "dist/trainer_run.h"
#include "support/temp_dir.h"
#include "taper/train/trainer.h"
#include "train/small_run.h"

namespace taper::distributed {
namespace {

using test::errors_on_ranks;
using test::expect_close;
using test::on_ranks;
using test::RankRun;
using test::SmallRun;
using test::TempDir;
using train::FitResult, train::Trainer, train::TrainerOptions;

TEST(TrainerOnRanks, ResumesAtEveryStepToTheBit) {
  // Of rank 0, whose state contains the generators of all ranks.
  std::vector<std::byte> expected;
  on_ranks(2, [&](int rank) {
    SmallRun parts(static_cast<std::uint64_t>(3 + rank));  // other batches and masks on each rank
    const DistributedDataParallel ddp(parts.net);
    Trainer trainer(parts.net, parts.optimizer, test::options_of(parts));
    EXPECT_EQ(parts.fit(trainer), FitResult::finished);
    EXPECT_EQ(trainer.step(), 9);
    const auto bytes = test::bytes_of(trainer);
    if (rank == 0) expected = bytes;
  });
  for (std::int64_t stop = 1; stop <= 9; ++stop) {
    const TempDir dir;
    on_ranks(2, [&](int rank) {
      SmallRun parts(static_cast<std::uint64_t>(3 + rank));
      const DistributedDataParallel ddp(parts.net);
      Trainer trainer(parts.net, parts.optimizer, test::options_of(parts, dir / "run"));
      trainer.on_step([&](const train::StepResult& s) {
        if (rank == 1 && s.step == stop) trainer.stop();
      });
      EXPECT_EQ(parts.fit(trainer), FitResult::stopped);
    });
    on_ranks(2, [&](int rank) {
      SmallRun parts(static_cast<std::uint64_t>(99 + rank));
      const DistributedDataParallel ddp(parts.net);
      Trainer trainer(parts.net, parts.optimizer, test::options_of(parts, dir / "run"));
      EXPECT_TRUE(trainer.resume());
      static_cast<void>(randn({3}));  // moves the default generator
      EXPECT_EQ(parts.fit(trainer), FitResult::finished);
      const auto bytes = test::bytes_of(trainer);
      if (rank == 0) { EXPECT_EQ(bytes, expected) << "stopped after step " << stop; }
    });
  }
}

TEST(TrainerOnRanks, ResumesWithAnotherNumberOfRanks) {
  const TempDir dir;
  const TrainerOptions options{
      .epochs = 3, .checkpoint = {.folder = dir / "run"}, .progress = false};
  RankRun whole;
  Trainer(whole.net, whole.optimizer, {.epochs = 3, .progress = false})
      .fit(whole.loader, whole.loss_fn());
  const auto train_on = [&](int rank, int size, std::int64_t last_step) {
    RankRun run(rank, size);
    const DistributedDataParallel ddp(run.net);
    Trainer trainer(run.net, run.optimizer, options);
    trainer.on_step([&](const train::StepResult& s) {
      if (s.step == last_step) trainer.stop();
    });
    EXPECT_EQ(trainer.resume(), size != 2);
    trainer.fit(run.loader, run.loss_fn());
    EXPECT_EQ(trainer.step(), last_step);
    if (last_step == 6) expect_close(run, whole);
  };
  on_ranks(2, [&](int rank) { train_on(rank, 2, 1); });  // within the first epoch
  on_ranks(3, [&](int rank) { train_on(rank, 3, 3); });
  on_ranks(1, [&](int rank) { train_on(rank, 1, 5); });
  on_ranks(4, [&](int rank) { train_on(rank, 4, 6); });
}

TEST(TrainerOnRanks, KeepsGeneratorsThatTheCheckpointDoesNotContain) {
  const TempDir dir;
  on_ranks(2, [&](int rank) {
    RankRun run(rank, 2);
    Trainer trainer(run.net, run.optimizer);
    manual_seed(static_cast<std::uint64_t>(50 + rank));
    trainer.save(dir / "two.pt");
  });
  on_ranks(3, [&](int rank) {
    RankRun run(rank, 3);
    Trainer trainer(run.net, run.optimizer);
    manual_seed(static_cast<std::uint64_t>(70 + rank));
    trainer.load(dir / "two.pt");
    const Value state = trainer.state_dict();
    const Value all = state["rank_generators"];
    for (std::size_t r = 0; r < 3; ++r) {
      manual_seed((r < 2 ? 50 : 70) + r);
      const Value generators = all.as_list()[r]["generators"];
      EXPECT_TRUE(equal(generators.as_list()[0].as_tensor(), tensor(get_rng_state()))) << r;
    }
  });
}

TEST(TrainerOnRanks, RejectsRanksAtDifferentPositions) {
  RankRun alone;
  Trainer single(alone.net, alone.optimizer, {.progress = false});
  single.fit(alone.loader, alone.loss_fn());
  const Value state = single.state_dict();
  const auto errors = errors_on_ranks(2, [&](int rank) {
    RankRun run(rank, 2);
    Trainer trainer(run.net, run.optimizer, {.epochs = 2, .progress = false});
    if (rank == 0) trainer.load_state_dict(state);
    trainer.fit(run.loader, run.loss_fn());
  });
  for (const std::string& error : errors)
    EXPECT_EQ(error,
              "Trainer: all ranks must continue at the same position: rank 0 is after batch 0 of "
              "epoch 2 of 2 (step 2), rank 1 after batch 0 of epoch 1 of 2 (step 0)");
}

TEST(TrainerOnRanks, FailsToLoadOnAllRanks) {
  const TempDir dir;
  const auto errors = errors_on_ranks(2, [&](int rank) {
    RankRun run(rank, 2);
    Trainer trainer(run.net, run.optimizer);
    trainer.save(dir / "good.pt");
    trainer.load(dir / (rank == 0 ? "good.pt" : "missing.pt"));
  });
  EXPECT_TRUE(test::contains(errors[1], "missing.pt")) << errors[1];
  EXPECT_EQ(errors[0], "rank 1: " + errors[1]);
}

}  // namespace
}  // namespace taper::distributed
