// A run that is killed again and again ends with the bits of one that was not.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "train/small_run.h"

namespace {

using namespace taper;
using taper::test::bytes_of, taper::test::options_of, taper::test::read_bytes,
    taper::test::SmallRun, taper::test::TempDir;

constexpr const char* kFolder = "TAPER_KILLED_RUN";

/// Trains, or continues, a run in `folder`, and writes its result to the file `result`.
void train_in(const std::string& folder) {
  SmallRun parts;
  train::TrainerOptions options = options_of(parts, folder);
  options.epochs = 12;
  options.checkpoint.every_steps = 1;
  options.checkpoint.keep_best = 2;
  train::Trainer trainer(parts.net, parts.optimizer, std::move(options));
  trainer.resume();
  ASSERT_EQ(parts.fit(trainer), train::FitResult::finished);
  const auto bytes = bytes_of(trainer);
  taper::test::write_bytes(folder + "/result",
                           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

/// The child process, which is killed.
TEST(KilledRun, DISABLED_Child) {
  const char* const folder = std::getenv(kFolder);
  if (!folder) GTEST_SKIP() << "started by the test below";
  train_in(folder);
}

::pid_t start_child(const std::string& folder) {
  ::setenv(kFolder, folder.c_str(), 1);
  const char* argv[] = {"test", "--gtest_filter=KilledRun.DISABLED_Child",
                        "--gtest_also_run_disabled_tests", nullptr};
  ::posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::pid_t child = -1;
  EXPECT_EQ(::posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                          const_cast<char* const*>(argv), environ),
            0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::unsetenv(kFolder);
  return child;
}

/// Kills runs until TAPER_KILLS processes were killed, 20 by default.
TEST(KilledRun, ResumesToTheBit) {
  const TempDir dir;
  // The shortest time, because most kills would otherwise be after the end of a run.
  std::chrono::duration<double> whole = std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove_all(dir / "whole");
    const auto begin = std::chrono::steady_clock::now();
    ::waitpid(start_child(dir / "whole"), nullptr, 0);
    whole =
        std::min<std::chrono::duration<double>>(whole, std::chrono::steady_clock::now() - begin);
  }
  const std::string expected = read_bytes(dir / "whole/result");
  ASSERT_FALSE(expected.empty());

  const char* const setting = std::getenv("TAPER_KILLS");
  const int limit = setting ? std::atoi(setting) : 20;
  std::mt19937 random(7);
  int killed = 0;
  for (int run = 0; killed < limit; ++run) {
    const std::string folder = dir / ("run" + std::to_string(run));
    for (bool is_killed = true; is_killed; killed += is_killed) {
      const ::pid_t child = start_child(folder);
      std::this_thread::sleep_for(std::uniform_real_distribution<>(0, 1.2)(random) * whole);
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      is_killed = WIFSIGNALED(status);
      if (!is_killed) { ASSERT_EQ(WEXITSTATUS(status), 0); }
    }
    EXPECT_TRUE(read_bytes(folder + "/result") == expected) << "run " << run;
    std::filesystem::remove_all(folder);
  }
}

}  // namespace
