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
TEST(KitCases, AutocastMatchesPyTorch) { expect_all_pass("amp"); }
TEST(KitCases, ImageFilesMatchTorchvisionAndPillow) { expect_all_pass("images"); }
TEST(KitCases, LoadersMatchPyTorch) { expect_all_pass("loader"); }
TEST(KitCases, TransformsMatchTorchvision) { expect_all_pass("transforms"); }
TEST(KitCases, MetricsMatchTorchmetrics) { expect_all_pass("metrics"); }
TEST(KitCases, EventsMatchPyTorch) { expect_all_pass("events"); }

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

TEST(KitCases, DamagedImagesFail) {
  const CaseFile intact = read_case_file(std::string(kKitDirectory) + "/transforms.json");
  int damaged = 0;
  for (const Json& fields : intact.cases)
    for (const Json& role : fields.at("tensors")) {
      const auto name = role.get<std::string>();
      if (!name.starts_with("expected.out")) continue;
      CaseFile file = intact;
      taper::Tensor& image = file.tensors.at(id_of(fields) + "/" + name);
      image = image.is_floating_point() ? image + 1 : ~image;
      EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id") << " " << name;
      ++damaged;
    }
  EXPECT_GT(damaged, 80);
}

TEST(KitCases, DamagedImageFilesFail) {
  const taper::test::WarningCapture warnings;
  const CaseFile intact = read_case_file(std::string(kKitDirectory) + "/images.json");
  int damaged = 0;
  for (const Json& fields : intact.cases)
    for (const Json& role : fields.at("tensors")) {
      if (role != "expected.pixels") continue;
      CaseFile file = intact;
      taper::Tensor& pixels = file.tensors.at(id_of(fields) + "/expected.pixels");
      // Within the range, and beyond the tolerance of JPEG encoders.
      pixels = pixels ^ 4;
      EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
      ++damaged;
    }
  EXPECT_GT(damaged, 80);
}

TEST(KitCases, BrokenImageFilesMustBeBroken) {
  const CaseFile intact = read_case_file(std::string(kKitDirectory) + "/images.json");
  const taper::Tensor& good = intact.tensors.at("file-pnm-p5/file");
  int replaced = 0;
  for (const Json& fields : intact.cases) {
    if (fields.at("kind") != "broken") continue;
    CaseFile file = intact;
    file.tensors.at(id_of(fields) + "/file") = good;
    EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
    ++replaced;
  }
  EXPECT_GT(replaced, 40);
}

TEST(KitCases, DamagedTablesFail) {
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/images.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") != "csv") continue;
    for (Json& column : fields.at("expected").at("columns")) {
      Json& values = column.at("values");
      const bool is_text = column.value("dtype", "") == "string";
      if (values.empty() || !(is_text || values.back().is_number())) continue;
      values.back() = is_text ? Json("other") : Json(12345);
      EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
      ++damaged;
      break;
    }
  }
  EXPECT_GT(damaged, 40);
}

TEST(KitCases, DamagedShardsFail) {
  const taper::test::WarningCapture warnings;
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/images.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") != "shards") continue;
    Json& samples = fields.at("expected").at("samples");
    if (samples.empty()) continue;
    samples.back().at("key") = "other";
    EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
    ++damaged;
  }
  EXPECT_GT(damaged, 10);
}

TEST(KitCases, DamagedParametersFail) {
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/transforms.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (!fields.contains("expected") || !fields.at("expected").contains("params")) continue;
    for (Json& drawn : fields.at("expected").at("params"))
      for (auto& [name, value] : drawn.at(1).items())
        if (value.is_number()) {
          const Json before = value;
          value = before.is_number_float() ? Json(before.get<double>() + 0.5)
                                           : Json(before.get<std::int64_t>() + 1);
          EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id") << " " << name;
          value = before;
          ++damaged;
        }
  }
  EXPECT_GT(damaged, 20);
}

TEST(KitCases, DamagedRecordsFail) {
  const taper::test::WarningCapture warnings;  // of clipped sounds
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/events.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") == "error") continue;
    for (auto& [run, records] : fields.at("expected").at("runs").items()) {
      for (Json& record : records)
        for (auto& [name, value] : record.items()) {
          const Json before = value;
          if (value.is_string())
            value = value.get<std::string>() + "x";
          else if (value.is_number_float())
            value = value.get<double>() * 1.01 + 1;
          else if (value.is_number())
            value = value.get<std::int64_t>() + 1;
          else
            continue;
          EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id") << " " << name;
          value = before;
          ++damaged;
        }
    }
  }
  EXPECT_GT(damaged, 500);
}

TEST(KitCases, DamagedMetricsFail) {
  const taper::test::WarningCapture warnings;
  const CaseFile file = read_case_file(std::string(kKitDirectory) + "/metrics.json");
  int damaged = 0;
  for (Json fields : file.cases) {
    if (fields.at("kind") != "metric") continue;
    Json& last = fields.at("expected").at("running").back();
    if (!last.is_number_float()) continue;
    last = last.get<double>() * 1.001 + 0.001;
    EXPECT_FALSE(kit_case_passes(file, fields)) << fields.at("id");
    ++damaged;
  }
  EXPECT_GT(damaged, 10);
}

}  // namespace
