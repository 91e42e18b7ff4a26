// Tests the runner of distributed cases with a small set of cases (tests/data/dist), intact and
// damaged.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "cases/case.h"
#include "dist/rank_case.h"
#include "kinds/dispatch.h"
#include "runner.h"
#include "support/temp_dir.h"
#include "taper_paths.h"

namespace {

using namespace taper::oracle;

const char* const kDistDirectory = TAPER_TEST_DATA "/dist";

void expect_dist_family_passes(const std::string& family) {
  const CaseCounts tally = run_directory(kDistDirectory, {.families = {family}, .cases = {}});
  EXPECT_EQ(tally.passed,
            read_case_file(std::string(kDistDirectory) + "/" + family + ".json").cases.size());
  EXPECT_EQ(tally.failed + tally.skipped, 0u);
}

TEST(DistCases, CollectivesMatchPyTorch) { expect_dist_family_passes("collectives"); }
TEST(DistCases, DataParallelTrainingMatchesPyTorch) { expect_dist_family_passes("ddp"); }
TEST(DistCases, ZeroRedundancyMatchesPyTorch) { expect_dist_family_passes("zero"); }
TEST(DistCases, FullyShardMatchesPyTorch) { expect_dist_family_passes("fsdp"); }
TEST(DistCases, TensorParallelMatchesPyTorch) { expect_dist_family_passes("tensor_parallel"); }
TEST(DistCases, DistributedCheckpointsMatchPyTorch) { expect_dist_family_passes("checkpoint"); }
TEST(DistCases, LaunchedWorkersMatchTorchrun) {
  const CaseCounts tally = run_directory(kDistDirectory, {.families = {"elastic"}, .cases = {}});
  EXPECT_EQ(tally.failed, 0u);
  if (tally.passed == 0) GTEST_SKIP() << "torchrun or taper is not installed";
}

// The launcher of PyTorch is compared after `taper run`, whose failure must not be lost.
TEST(DistCases, FailuresOfTaperRunCountWithoutTorchrun) {
  if (!std::filesystem::exists(TAPER_BIN_DIR "/taper")) GTEST_SKIP() << "the tools are not built";
  const taper::test::TempDir folder;
  std::ifstream original(std::string(kDistDirectory) + "/elastic.json");
  Json file = Json::parse(original);
  file.at("cases") = Json::array({file.at("cases").at(0)});
  std::filesystem::copy(std::string(kDistDirectory) + "/elastic.safetensors",
                        folder / "elastic.safetensors");
  const char* const variable = "TAPER_ORACLE_TORCHRUN";
  const char* const value = std::getenv(variable);
  const std::string before = value ? value : "";
  ::setenv(variable, "", 1);
  const auto run = [&] {
    std::ofstream(folder / "elastic.json") << file.dump();
    return run_directory(folder.path(), {});
  };
  const CaseCounts intact = run();
  file["cases"][0]["expected"]["attempts"][0][0]["variables"]["WORLD_SIZE"] = "7";
  const CaseCounts damaged = run();
  value ? ::setenv(variable, before.c_str(), 1) : ::unsetenv(variable);
  EXPECT_EQ(intact.skipped, 1u);
  EXPECT_EQ(intact.failed, 0u);
  EXPECT_EQ(damaged.skipped, 0u);
  EXPECT_EQ(damaged.failed, 1u);
}

/// Returns true if the case passes.
bool dist_case_passes(const CaseFile& file, const Json& fields) {
  CaseFile damaged = file;
  damaged.cases = {fields};
  Case c(damaged, fields);
  run_case(c);
  c.finish();
  return c.failures().empty();
}

/// Exchanges the expected tensors of two ranks, or the first and last entry of a list.
bool exchange_two(Json& value) {
  if (value.is_array() && value.size() > 1 && value.front() != value.back()) {
    std::swap(value.front(), value.back());
    return true;
  }
  if (value.is_structured())
    for (Json& part : value)
      if (exchange_two(part)) return true;
  return false;
}

TEST(DistCases, DamagedResultsFail) {
  int damaged = 0;
  for (const char* family : {"collectives", "zero", "fsdp"}) {
    const CaseFile file = read_case_file(std::string(kDistDirectory) + "/" + family + ".json");
    for (Json fields : file.cases) {
      if (!exchange_two(fields.at("expected"))) continue;
      EXPECT_FALSE(dist_case_passes(file, fields)) << fields.at("id");
      ++damaged;
    }
  }
  EXPECT_GT(damaged, 12);
}

TEST(DistCases, ShardsToGroupsOfRanksAsWithoutGroups) {
  const CaseFile file = read_case_file(std::string(kDistDirectory) + "/fsdp.json");
  int numeric = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") != "train") continue;
    for (Json& entry : fields.at("shard")) entry.at(1)["reshard_after_forward"] = 2;
    EXPECT_TRUE(dist_case_passes(file, fields)) << fields.at("id");
    ++numeric;
  }
  EXPECT_GT(numeric, 0);
}

TEST(DistCases, UnknownFieldsFail) {
  const CaseFile file = read_case_file(std::string(kDistDirectory) + "/collectives.json");
  Json fields = file.cases[0];
  EXPECT_TRUE(dist_case_passes(file, fields));
  fields["surprise"] = 1;
  EXPECT_FALSE(dist_case_passes(file, fields));
}

TEST(ResolveRank, ReplacesValuesByRankAtAnyDepth) {
  const Json value = {{"a", {{"by_rank", {1, 2}}}}, {"b", {3, {{"by_rank", {4, 5}}}}}};
  EXPECT_EQ(resolve_rank(value, 1), (Json{{"a", 2}, {"b", {3, 5}}}));
}

}  // namespace
