// Trainer: exceptions within a run lose the step in progress and nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <set>

#include "support/error_text.h"
#include "support/file_bytes.h"
#include "support/file_size_limit.h"
#include "support/temp_dir.h"
#include "support/warning_capture.h"
#include "taper/io/load.h"
#include "train/small_run.h"

namespace {

using namespace taper;
using taper::test::bytes_of, taper::test::options_of, taper::test::TempDir;
using taper::test::error_text, taper::test::SmallRun;
using train::FitResult, train::Trainer;

const data::DataLoaderOptions kPlain{.batch_size = 4, .shuffle = true};
const data::DataLoaderOptions kWorkers{.batch_size = 4, .shuffle = true, .num_workers = 2};

std::vector<std::byte> uninterrupted(const data::DataLoaderOptions& loading) {
  SmallRun parts(3, loading);
  Trainer trainer(parts.net, parts.optimizer, options_of(parts));
  EXPECT_EQ(parts.fit(trainer), FitResult::finished);
  return bytes_of(trainer);
}

/// Resumes the run in `folder` with other weights and generators. Returns its result.
std::vector<std::byte> resumed(const std::string& folder, const data::DataLoaderOptions& loading,
                               std::int64_t step) {
  SmallRun parts(99, loading);
  Trainer trainer(parts.net, parts.optimizer, options_of(parts, folder));
  EXPECT_TRUE(trainer.resume());
  EXPECT_EQ(trainer.step(), step);
  EXPECT_EQ(parts.fit(trainer), FitResult::finished);
  return bytes_of(trainer);
}

// Steps have two batches, epochs have three steps: step 5 is the second one of epoch 2.
TEST(TrainerRecovery, SavesTheLastStepIfTheLossFails) {
  const auto expected = uninterrupted(kPlain);
  const TempDir dir;
  SmallRun parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
  bool fails = true;
  const auto fit = [&] {
    return trainer.fit(
        parts.loader,
        [&, loss = parts.loss_fn()](const std::pair<Tensor, Tensor>& batch) {
          const Tensor result = loss(batch);  // changes buffers and draws numbers
          if (fails && trainer.step() == 4) throw std::runtime_error("the loss failed");
          return result;
        },
        [&] { return parts.validate(); });
  };
  EXPECT_EQ(error_text<std::runtime_error>(fit), "the loss failed");
  std::filesystem::copy(dir / "run", dir / "copy");
  fails = false;
  EXPECT_EQ(fit(), FitResult::finished);  // the same trainer continues
  EXPECT_EQ(bytes_of(trainer), expected);
  EXPECT_EQ(resumed(dir / "copy", kPlain, 4), expected);
}

TEST(TrainerRecovery, SavesTheLastStepIfTheLoaderFails) {
  for (const auto& loading : {kPlain, kWorkers}) {
    const auto expected = uninterrupted(loading);
    const TempDir dir;
    SmallRun parts(3, loading);
    Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
    trainer.on_step([&](const train::StepResult& s) {
      if (s.step == 4) *parts.loader.dataset().remaining = loading.num_workers > 0 ? 0 : 5;
    });
    EXPECT_NE(error_text<std::exception>([&] { parts.fit(trainer); }).find("a point is unreadable"),
              std::string::npos);
    EXPECT_EQ(resumed(dir / "run", loading, trainer.step()), expected) << loading.num_workers;
  }
}

TEST(TrainerRecovery, SavesTheLastStepIfACallbackFails) {
  const auto expected = uninterrupted(kPlain);
  for (const std::int64_t step : {1, 4, 6}) {
    const TempDir dir;
    SmallRun parts;
    Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
    trainer.on_step([&](const train::StepResult& s) {
      if (s.step == step) throw std::runtime_error("a callback failed");
    });
    EXPECT_EQ(error_text<std::runtime_error>([&] { parts.fit(trainer); }), "a callback failed");
    EXPECT_EQ(resumed(dir / "run", kPlain, step), expected) << step;
  }
}

TEST(TrainerRecovery, SavesTheLastStepIfTheEndOfAnEpochFails) {
  const auto expected = uninterrupted(kPlain);
  for (const bool is_validation : {true, false}) {
    const TempDir dir;
    SmallRun parts;
    Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
    trainer.on_epoch([&](const train::EpochResult& e) {
      if (e.epoch == 2) throw std::runtime_error("a callback failed");
    });
    EXPECT_EQ(error_text<std::runtime_error>([&] {
                trainer.fit(parts.loader, parts.loss_fn(), [&] {
                  if (is_validation && trainer.epoch() == 1)
                    throw std::runtime_error("the validation failed");
                  return parts.validate();
                });
              }),
              is_validation ? "the validation failed" : "a callback failed");
    EXPECT_EQ(trainer.epoch(), is_validation ? 1 : 2);
    EXPECT_EQ(resumed(dir / "run", kPlain, 6), expected) << is_validation;
  }
}

TEST(TrainerRecovery, RanksAnEpochWhoseCallbackFails) {
  const TempDir dir;
  const double scores[] = {3, 5, 1, 4};
  const auto files = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir / "run"))
      names.insert(entry.path().filename().string());
    return names;
  };
  const auto run = [&](std::int64_t failing_epoch) {
    SmallRun parts;
    Trainer trainer(parts.net, parts.optimizer,
                    {.epochs = 4,
                     .monitor = "score",
                     .monitor_mode = train::MonitorMode::max,
                     .checkpoint = {.folder = dir / "run", .keep_best = 2},
                     .progress = false});
    trainer.on_epoch([&](const train::EpochResult& e) {
      if (e.epoch == failing_epoch) throw std::runtime_error("a callback failed");
    });
    trainer.resume();
    return error_text<std::runtime_error>([&] {
      trainer.fit(parts.loader, parts.loss_fn(), [&] {
        return Value::dict({{"score", scores[trainer.epoch()]}});
      });
    });
  };
  EXPECT_EQ(run(2), "a callback failed");
  EXPECT_EQ(files(), (std::set<std::string>{"epoch-0001.pt", "epoch-0002.pt", "last.pt"}));
  EXPECT_EQ(run(4), "a callback failed");
  EXPECT_EQ(files(), (std::set<std::string>{"epoch-0002.pt", "epoch-0004.pt", "last.pt"}));
  EXPECT_EQ(run(0), "");
  EXPECT_EQ(load(dir / "run/last.pt")["epoch"].as_int(), 4);
}

TEST(TrainerRecovery, KeepsTheLastCheckpointIfTheLossIsNotFinite) {
  const TempDir dir;
  SmallRun parts;
  train::TrainerOptions options = options_of(parts, dir / "run");
  options.checkpoint.async = false;
  Trainer trainer(parts.net, parts.optimizer, std::move(options));
  std::string before;
  trainer.on_step([&](const train::StepResult& s) {
    if (s.step == 4) before = taper::test::read_bytes(dir / "run/last.pt");
    if (s.step == 5) {
      const NoGrad guard;
      parts.net.parameters()[0].fill_(std::numeric_limits<double>::quiet_NaN());
    }
  });
  EXPECT_THROW(parts.fit(trainer), train::NonFiniteError);
  EXPECT_FALSE(before.empty());
  EXPECT_TRUE(taper::test::read_bytes(dir / "run/last.pt") == before);
}

TEST(TrainerRecovery, WritesNothingBeforeTheFirstStep) {
  const TempDir dir;
  SmallRun parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
  EXPECT_THROW(trainer.fit(parts.loader,
                           [](const std::pair<Tensor, Tensor>&) -> Tensor {
                             throw std::runtime_error("the first step failed");
                           }),
               std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(dir / "run/last.pt"));
}

TEST(TrainerRecovery, ReportsTheErrorOfTheStepIfSavingFailsToo) {
  const TempDir dir;
  taper::test::write_bytes(dir / "run", "a file in the place of the folder");
  SmallRun parts;
  Trainer trainer(parts.net, parts.optimizer, options_of(parts, dir / "run"));
  trainer.on_step([](const train::StepResult&) { throw std::runtime_error("a callback failed"); });
  const taper::test::WarningCapture warnings;
  EXPECT_EQ(error_text<std::runtime_error>([&] { parts.fit(trainer); }), "a callback failed");
  ASSERT_EQ(warnings.count(), 1u);
  EXPECT_NE(warnings.last().find("the run could not be saved after an error: Trainer: "),
            std::string::npos)
      << warnings.last();
}

// The file size limit fails the write of a checkpoint, as a full disk does.
TEST(TrainerRecovery, KeepsTheLastCheckpointIfTheDiskIsFull) {
  const auto expected = uninterrupted(kPlain);
  for (const bool async : {true, false}) {
    const TempDir dir;
    SmallRun parts;
    train::TrainerOptions options = options_of(parts, dir / "run");
    options.checkpoint.async = async;
    Trainer trainer(parts.net, parts.optimizer, std::move(options));
    std::optional<taper::test::FileSizeLimit> limit;
    trainer.on_epoch([&](const train::EpochResult& e) {
      if (e.epoch == 2) limit.emplace(4000);  // after the checkpoint of the first epoch
    });
    trainer.on_step([&](const train::StepResult&) {
      while (async && !std::filesystem::exists(dir / "run/last.pt") && trainer.epoch() == 1) {}
    });
    const taper::test::WarningCapture warnings;
    const std::string text = error_text<IoError>([&] { parts.fit(trainer); });
    limit.reset();
    EXPECT_NE(text.find(dir / "run/last.pt"), std::string::npos) << text;
    EXPECT_EQ(resumed(dir / "run", kPlain, 3), expected) << async;
  }
}

}  // namespace
