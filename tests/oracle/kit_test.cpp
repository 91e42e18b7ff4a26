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

void expect_all_pass(const std::string& family) {
  const taper::test::WarningCapture warnings;  // of empty parts
  const CaseCounts tally = run_directory(kKitDirectory, {.families = {family}, .cases = {}});
  EXPECT_EQ(tally.passed,
            read_case_file(std::string(kKitDirectory) + "/" + family + ".json").cases.size());
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(KitCases, SamplersMatchPyTorch) { expect_all_pass("samplers"); }
TEST(KitCases, LoadersMatchPyTorch) { expect_all_pass("loader"); }

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

TEST(KitCases, DamagedBatchesFail) {
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/loader.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") != "order") continue;
    for (Json& pass : fields.at("expected").at("passes"))
      if (!pass.empty() && pass.at(0).is_array()) {
        pass.at(0).push_back(1);
        EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
        ++damaged;
        break;
      }
  }
  EXPECT_GT(damaged, 10);
}

}  // namespace
