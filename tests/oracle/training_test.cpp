// Tests the runner of training cases with a small set of cases (tests/data/training), intact and
// damaged.
#include <gtest/gtest.h>

#include <fstream>

#include "cases/case.h"
#include "cases/sha256.h"
#include "kinds/dispatch.h"
#include "runner.h"
#include "support/warning_capture.h"
#include "taper/core/factory.h"
#include "taper_paths.h"

namespace {

using namespace taper;
using namespace taper::oracle;

const char* const kDirectory = TAPER_TEST_DATA "/training";

std::size_t size_of_family(const std::string& family) {
  return read_case_file(std::string(kDirectory) + "/" + family + ".json").cases.size();
}

bool passes(const CaseFile& file, const Json& fields) {
  Case c(file, fields);
  try {
    run_case(c);
    c.finish();
  } catch (const std::exception&) { return false; }
  return c.failures().empty();
}

TEST(TrainingCases, RandomProgramsMatchPyTorchBitwise) {
  const CaseCounts tally = run_directory(kDirectory, {.families = {"rng"}, .cases = {}});
  EXPECT_EQ(tally.passed, size_of_family("rng"));
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(TrainingCases, InitialValuesMatchPyTorch) {
  const CaseCounts tally = run_directory(kDirectory, {.families = {"init"}, .cases = {}});
  EXPECT_EQ(tally.passed, size_of_family("init"));
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(TrainingCases, OptimizersMatchPyTorch) {
  const CaseCounts tally = run_directory(kDirectory, {.families = {"optim"}, .cases = {}});
  EXPECT_EQ(tally.passed, size_of_family("optim"));
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(TrainingCases, SchedulesMatchPyTorch) {
  const CaseCounts tally = run_directory(kDirectory, {.families = {"sched"}, .cases = {}});
  EXPECT_EQ(tally.passed, size_of_family("sched"));
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(TrainingCases, DistributionsMatchPyTorch) {
  const CaseCounts tally = run_directory(kDirectory, {.families = {"distributions"}, .cases = {}});
  EXPECT_EQ(tally.passed, size_of_family("distributions") + size_of_family("distribution_samples"));
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(TrainingCases, RunsScenarios) {
  std::ifstream json(TAPER_TEST_DATA "/autograd.json");
  CaseFile file;
  file.format = Format::training;
  file.family = "autograd";
  file.cases = Json::parse(json).at("cases").get<std::vector<Json>>();
  for (const Json& whole : file.cases) {
    EXPECT_TRUE(passes(file, whole)) << whole.at("id");
    Json one = whole;
    one["surprise"] = 1;
    EXPECT_FALSE(passes(file, one)) << whole.at("id");
    one = whole;
    one["results"].erase(one["results"].size() - 1);
    EXPECT_FALSE(passes(file, one)) << whole.at("id");
    one = whole;
    one["id"] = "50";
    EXPECT_FALSE(passes(file, one));
  }
}

TEST(TrainingCases, FailsForDamagedSchedules) {
  const CaseFile file = read_case_file(std::string(kDirectory) + "/sched.json");
  const test::WarningCapture warnings;
  for (const Json& whole : file.cases) {
    Json one = whole;
    one["surprise"] = 1;
    EXPECT_FALSE(passes(file, one)) << whole.at("id");
    for (const char* field : {"lr", "momentum", "lr_last", "resumed_lr"}) {
      if (!whole.contains(field)) continue;
      one = whole;
      Json& last = one[field].back();
      (last.is_array() ? last.back() : last) = 0.123;
      EXPECT_FALSE(passes(file, one)) << whole.at("id") << ": " << field;
    }
    if (!whole.contains("state_dict")) continue;
    one = whole;
    one["state_dict"]["items"][0][0]["v"] = "other";
    EXPECT_FALSE(passes(file, one)) << whole.at("id");
  }
}

TEST(TrainingCases, FailsForDamagedTensors) {
  for (const std::string family : {"rng", "init", "distribution_samples"}) {
    CaseFile file = read_case_file(std::string(kDirectory) + "/" + family + ".json");
    for (auto& [key, expected] : file.tensors) {
      if (expected.dtype() == DType::bool_) expected = ones_like(expected, {.dtype = DType::u8});
      if (expected.numel() > 0) expected = expected.add(1);
    }
    for (const Json& fields : file.cases) {
      if (fields.at("tensors").empty()) continue;
      EXPECT_FALSE(passes(file, fields)) << fields.at("id");
    }
  }
}

TEST(TrainingCases, FailsForUnknownFieldsAndOps) {
  const CaseFile file = read_case_file(std::string(kDirectory) + "/rng.json");
  const Json whole = file.find_case("seed_0");
  ASSERT_TRUE(passes(file, whole));
  Json one = whole;
  one["surprise"] = 1;
  EXPECT_FALSE(passes(file, one));
  one = whole;
  one["ops"][2]["surprise"] = 1;
  EXPECT_FALSE(passes(file, one));
  one = whole;
  one["ops"][2]["op"] = "rand_";
  EXPECT_FALSE(passes(file, one));
  one = whole;
  one["end_state_sha256"] = std::string(64, '0');
  EXPECT_FALSE(passes(file, one));
}

TEST(Sha256, ComputesKnownHashes) {
  EXPECT_EQ(sha256("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::string text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  EXPECT_EQ(sha256(text.data(), text.size()),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
