// Runs every seed and every finding of the fuzzers through its target.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "support/file_bytes.h"
#include "taper_paths.h"
#include "target.h"

namespace taper::fuzz {
namespace {

namespace fs = std::filesystem;

class FuzzTarget : public testing::TestWithParam<Target> {
 protected:
  /// Runs the target on the files for it and on those for any target. Returns their number.
  int run_all(const char* folder) {
    const fs::path root = fs::path(TAPER_SOURCE_DIR) / "tests/fuzz" / folder;
    int files = 0;
    for (const fs::path& place : {root / GetParam().name, root / "any"}) {
      if (!fs::exists(place)) continue;
      for (const auto& entry : fs::directory_iterator(place)) {
        const std::string bytes = test::read_bytes(entry.path());
        EXPECT_NO_THROW(GetParam().run(fuzz::bytes_of(bytes))) << entry.path();
        ++files;
      }
    }
    return files;
  }
};

TEST_P(FuzzTarget, ReturnsForEverySeed) { EXPECT_GT(run_all("seeds"), 0); }

TEST_P(FuzzTarget, ReturnsForEveryFinding) {
  if (run_all("findings") == 0) GTEST_SKIP() << "no finding of this target is recorded";
}

/// Checks that every folder is named after a target: files in other folders are not run.
TEST(FuzzFolders, AreNamedAfterTargets) {
  for (const char* folder : {"seeds", "findings"}) {
    int of_targets = 0;
    for (const auto& entry :
         fs::directory_iterator(fs::path(TAPER_SOURCE_DIR) / "tests/fuzz" / folder)) {
      const std::string name = entry.path().filename();
      const bool is_target = std::any_of(targets().begin(), targets().end(),
                                         [&](const Target& t) { return t.name == name; });
      EXPECT_TRUE(is_target || name == "any") << entry.path() << " is not the name of a target";
      EXPECT_FALSE(fs::is_empty(entry.path())) << entry.path();
      of_targets += is_target;
    }
    EXPECT_GT(of_targets, 0) << folder;
  }
}

TEST_P(FuzzTarget, ReturnsForTruncatedSeeds) {
  const fs::path root = fs::path(TAPER_SOURCE_DIR) / "tests/fuzz/seeds" / GetParam().name;
  constexpr std::size_t kSteps = 40;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string bytes = test::read_bytes(entry.path());
    for (std::size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / kSteps)
      EXPECT_NO_THROW(GetParam().run(fuzz::bytes_of(std::string_view(bytes).substr(0, n))))
          << entry.path() << " cut to " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTarget, testing::ValuesIn(targets()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace taper::fuzz
