// Tests the runner of cases of the training kit with a small set of cases (tests/data/kit), intact
// and damaged.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "kinds/dispatch.h"
#include "runner.h"
#include "support/warning_capture.h"
#include "taper_paths.h"

namespace {

using namespace taper::oracle;

const char* const kKitDirectory = TAPER_TEST_DATA "/kit";

TEST(KitCases, SamplersMatchPyTorch) {
  const taper::test::WarningCapture warnings;  // of empty parts
  const CaseCounts tally = run_directory(kKitDirectory, {.families = {"samplers"}, .cases = {}});
  EXPECT_EQ(tally.passed,
            read_case_file(std::string(kKitDirectory) + "/samplers.json").cases.size());
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

/// Returns true if the case passes.
bool kit_case_passes(const CaseFile& file, const Json& fields) {
  Case c(file, fields);
  run_case(c);
  c.finish();
  return c.failures().empty();
}

TEST(KitCases, DamagedOrdersFail) {
  const taper::test::WarningCapture warnings;
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/samplers.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") != "sampler") continue;
    for (Json& pass : fields.at("expected").at("passes"))
      if (pass.is_array() && !pass.empty()) {
        pass.erase(pass.size() - 1);
        EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
        ++damaged;
        break;
      }
  }
  EXPECT_GT(damaged, 10);
}

}  // namespace
