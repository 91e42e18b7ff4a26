// Work in destructors of static and thread_local objects and in exit handlers.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "late_work/work.h"
#include "support/program.h"
#include "support/temp_dir.h"
#include "taper_paths.h"

namespace taper {
namespace {

/// The program with the static library, and with the shared one.
const std::vector<std::string> kPrograms = {TAPER_BIN_DIR "/taper_test_late_work",
                                            TAPER_BIN_DIR "/taper_test_late_work_shared"};

/// Returns the output; after a failure with the errors and the status.
std::string run_late_work(const std::string& program, const std::vector<std::string>& words) {
  const test::TempDir folder;
  std::vector<std::string> arguments{program, folder / ""};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const test::ProgramResult result = test::run_program(arguments);
  if (result.status == 0) return result.out;
  return result.out + result.err + "status " + std::to_string(result.status) + "\n";
}

class LateWork : public testing::TestWithParam<std::tuple<std::string, const char*>> {};

TEST_P(LateWork, SucceedsAloneAndAfterTheSameWork) {
  const auto& [program, mode] = GetParam();
  for (const late_work::Work& work : late_work::all_work())
    for (const char* const state : {"before", "fresh"})
      EXPECT_EQ(run_late_work(program, {mode, state, work.name}), work.name + std::string("\n"))
          << state;
}

TEST_P(LateWork, SucceedsAfterOtherWork) {
  const auto& [program, mode] = GetParam();
  std::vector<std::string> words{mode, "before"};
  std::string expected;
  for (const late_work::Work& work : late_work::all_work()) {
    words.emplace_back(work.name);
    expected += work.name + std::string("\n");
  }
  EXPECT_EQ(run_late_work(program, words), expected);
}

INSTANTIATE_TEST_SUITE_P(Modes, LateWork,
                         testing::Combine(testing::ValuesIn(kPrograms),
                                          testing::Values("constructor", "static", "atexit",
                                                          "thread", "main", "exit")));

TEST(LateRelease, DestroysGraphsAndModulesOfStaticAndThreadLocalObjects) {
  for (const std::string& program : kPrograms)
    EXPECT_EQ(run_late_work(program, {"kept", "fresh"}), "kept\n") << program;
}

}  // namespace
}  // namespace taper
