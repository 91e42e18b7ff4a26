// taper_oracle: the cases of the tree pass, and errors in a case are reported.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runner.h"
#include "support/file_bytes.h"
#include "support/temp_dir.h"
#include "taper_paths.h"

namespace taper::oracle {
namespace {

namespace fs = std::filesystem;

TEST(Oracle, PassesCasesOfTree) {
  const CaseCounts tally = run_directory(TAPER_SOURCE_DIR "/tests/oracle_cases", {});
  EXPECT_EQ(tally.failed, 0u);
  EXPECT_GT(tally.passed, 100u);
  for (const auto& [name, count] : tally.missing) ADD_FAILURE() << "skipped for want of " << name;
}

// A directory with one family of one case: torch.add of two vectors.
class Family : public ::testing::Test {
 protected:
  Family() {
    set("in.0", {1, 2});
    set("in.1", {10, 20});
    set("out", {11, 22});
    set("gout", {1, -1});
    set("gin.in.0", {1, -1});
    add_ = Json::parse(R"({"id": "torch.add.001", "kind": "functional", "name": "torch.add",
        "dtype": "float32", "args": {}, "inputs": [{"t": "in.0", "grad": true}, {"t": "in.1"}],
        "outputs": {"t": "out"}, "grad_output": {"t": "gout"},
        "grad_inputs": [{"t": "gin.in.0"}, null], "rtol": 1e-6, "atol": 1e-6})");
    head_ = Json::parse(R"({"format": "taper-layer-cases", "version": 1, "family": "add",
        "torch": "2.15.0", "seed": 1, "extra": false})");
  }
  void set(const std::string& role, std::vector<float> values) {
    tensors_[role] = std::move(values);
  }

  CaseCounts run(const Selection& selection = {}) {
    write();
    return run_directory(folder_.string(), selection);
  }
  void write() {
    Json whole = head_;
    whole["cases"] = Json::array({add_});
    std::ofstream(folder_ / "add.json") << whole.dump();
    Json header = Json::object();
    std::string data;
    for (const auto& [role, values] : tensors_) {
      const std::size_t begin = data.size();
      data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
      header["torch.add.001/" + role] = {
          {"dtype", "F32"}, {"shape", {values.size()}}, {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::ofstream file(folder_ / "add.safetensors", std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file << text << data;
  }

  test::TempDir dir_;
  fs::path folder_ = dir_.path();
  Json add_, head_;
  std::map<std::string, std::vector<float>> tensors_;
};

TEST_F(Family, PassesForCorrectCase) { EXPECT_EQ(run().passed, 1u); }

TEST_F(Family, FailsForWrongValue) {
  set("out", {11, 22.1F});
  EXPECT_EQ(run().failed, 1u);
}

TEST_F(Family, FailsForWrongGradient) {
  set("gin.in.0", {1, 1});
  EXPECT_EQ(run().failed, 1u);
}

TEST_F(Family, FailsForUnknownField) {
  add_["surprise"] = 1;
  EXPECT_EQ(run().failed, 1u);
}

TEST_F(Family, FailsForUnknownKind) {
  add_["kind"] = "function";
  EXPECT_EQ(run().failed, 1u);
}

TEST_F(Family, FailsForUnknownHeaderField) {
  head_["shape"] = "of things";
  EXPECT_EQ(run().failed, 1u);
}

TEST_F(Family, FailsForUnknownFormat) {
  head_["version"] = 2;
  EXPECT_EQ(run().failed, 1u);
}

TEST_F(Family, FailsForMissingTensor) {
  tensors_.erase("gout");
  EXPECT_EQ(run().failed, 1u);
}

// JSON writes the byte 0xff as a lone surrogate; pairs and escaped backslashes are unchanged.
TEST_F(Family, ReadsRawBytesInTexts) {
  add_["note"] = "NOTE";
  write();
  std::string text = test::read_bytes(folder_ / "add.json");
  text.replace(text.find("NOTE"), 4, R"(\udcff \ud83d\ude42 \\udcff)");
  std::ofstream(folder_ / "add.json") << text;
  const CaseFile file = read_case_file((folder_ / "add.json").string());
  EXPECT_EQ(file.cases.at(0).at("note"), "\uf7ff \U0001f642 \\udcff");
}

TEST_F(Family, FailsForMalformedFiles) {
  const auto failed = [&](const std::string& json) {
    write();
    std::ofstream(folder_ / "add.json") << json;
    return run_directory(folder_.string(), {}).failed;
  };
  Json whole = head_;
  for (const Json& cases : {Json(5), Json::parse("[5]"), Json::parse("[{}]"), Json({{{"id", 5}}}),
                            Json({add_, add_})}) {
    whole["cases"] = cases;
    EXPECT_EQ(failed(whole.dump()), 1u) << cases;
  }
  for (const char* text : {"", "{", "[]", "null", "{\"format\": NaN}", "\xff\xfe"})
    EXPECT_EQ(failed(text), 1u) << text;
  const std::string deep(100'000, '[');
  EXPECT_EQ(failed(R"({"format": 1, "family": "add", "cases": )" + deep), 1u);
}

TEST_F(Family, FailsForTruncatedOrMissingTensorFile) {
  write();
  const fs::path path = folder_ / "add.safetensors";
  const auto size = fs::file_size(path);
  for (const auto kept : {size - 1, size / 2, std::uintmax_t{8}, std::uintmax_t{0}}) {
    fs::resize_file(path, kept);
    EXPECT_EQ(run_directory(folder_.string(), {}).failed, 1u) << kept;
  }
  fs::remove(path);
  EXPECT_EQ(run_directory(folder_.string(), {}).failed, 1u);
}

TEST_F(Family, FailsForFieldsOfOtherTypes) {
  const Json good = add_;
  for (const auto& [field, value] : good.items()) {
    if (field == "id") continue;
    for (const Json& other : {Json(5), Json("x"), Json::array({7, 7, 7}), Json({{"t", "none"}})}) {
      // Other tolerances are valid, and an unknown name is skipped.
      if ((field == "rtol" || field == "atol") && other == 5) continue;
      add_ = good;
      add_[field] = other;
      const CaseCounts tally = run();
      EXPECT_EQ(tally.passed, 0u) << field << " = " << other;
    }
  }
}

TEST_F(Family, SkipsUnknownFunctionByName) {
  add_["name"] = "torch.frobnicate";
  const CaseCounts tally = run();
  EXPECT_EQ(tally.skipped, 1u);
  EXPECT_EQ(tally.missing.at("torch.frobnicate"), 1u);
}

TEST_F(Family, SkipsUnknownOptionByName) {
  add_["args"]["sideways"] = true;
  const CaseCounts tally = run();
  EXPECT_EQ(tally.skipped, 1u);
  EXPECT_EQ(tally.missing.at("torch.add(sideways)"), 1u);
}

TEST_F(Family, SelectsFamiliesAndCases) {
  EXPECT_EQ(run({.families = {"add"}, .cases = {"torch.add.001"}}).passed, 1u);
  EXPECT_THROW(run({.families = {"mul"}}), std::runtime_error);
  EXPECT_THROW(run({.cases = {"torch.add.002"}}), std::runtime_error);
}

TEST_F(Family, ProgramPrintsCountsAndReturnsStatus) {
  const auto output_of = [&](int& status) {
    write();
    std::string text;
    FILE* pipe = popen((TAPER_BIN_DIR "/taper_oracle " + folder_.string()).c_str(), "r");
    char line[512];
    while (std::fgets(line, sizeof line, pipe)) text = line;
    status = WEXITSTATUS(pclose(pipe));
    return text;
  };
  int status = -1;
  EXPECT_EQ(output_of(status), "1 passed, 0 failed, 0 skipped\n");
  EXPECT_EQ(status, 0);
  set("out", {0, 0});
  EXPECT_EQ(output_of(status), "0 passed, 1 failed, 0 skipped\n");
  EXPECT_EQ(status, 1);
}

}  // namespace
}  // namespace taper::oracle
