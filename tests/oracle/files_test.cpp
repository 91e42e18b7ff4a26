// taper_oracle over a corpus of checkpoint files: it reports errors in a file, its value or the
// reader, and no file can abort the run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "cases/sha256.h"
#include "files/child.h"
#include "files/describe.h"
#include "files/differ.h"
#include "files/entry.h"
#include "files/walk.h"
#include "runner.h"
#include "support/contains.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "taper/io/save.h"

namespace taper::oracle {
namespace {

using test::contains;

namespace fs = std::filesystem;

// A directory with one file, whose dict contains a matrix "w", its transpose "t" and a list "n",
// and its index entry.
class Corpus : public ::testing::Test {
 protected:
  Corpus() {
    w_ = arange(6.0).view({2, 3});
    value_ = Value::dict({{"w", w_}, {"t", w_.t()}, {"n", Value::list({1, 2.5, Value::tuple()})}});
    save(value_, (folder_ / "a.pt").string());
    entry_ = {{"file", "a.pt"}, {"kind", "torch-zip"}, {"expect", "value"}};
    entry_["value"] = Describer()(value_);
  }
  void write(const std::string& name, std::string_view bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  CaseCounts run(Selection selection = {}) {
    index_["files"] = Json::array({entry_});
    std::ofstream(folder_ / "index.json") << index_.dump();
    return run_directory(folder_.string(), selection);
  }
  bool passes() { return run().failed == 0; }

  test::TempDir dir_;
  fs::path folder_ = dir_.path();
  Tensor w_;
  Value value_;
  Json entry_, index_ = {{"format", 1}, {"canary", "the_canary"}};
};

TEST_F(Corpus, PassesForMatchingFile) { EXPECT_EQ(run().passed, 1u); }

TEST_F(Corpus, FailsForAnyDifferingField) {
  const Json good = entry_["value"];
  const auto fails = [&](const char* pointer, const Json& other) {
    Json bad = good;
    bad.at(Json::json_pointer(pointer)) = other;
    entry_["value"] = bad;
    return run().failed == 1;
  };
  EXPECT_TRUE(fails("/class", "OrderedDict"));
  EXPECT_TRUE(fails("/items/0/0/v", "x"));
  EXPECT_TRUE(fails("/items/0/1/dtype", "f64"));
  EXPECT_TRUE(fails("/items/0/1/shape", {3, 2}));
  EXPECT_TRUE(fails("/items/0/1/sha256", sha256("", 0)));
  EXPECT_TRUE(fails("/items/0/1/requires_grad", true));
  EXPECT_TRUE(fails("/items/0/1/parameter", true));
  EXPECT_TRUE(fails("/items/0/1/storage", "another"));
  EXPECT_TRUE(fails("/items/0/1/storage_bytes", 28));
  EXPECT_TRUE(fails("/items/2/1/t", "tuple"));
  EXPECT_TRUE(fails("/items/2/1/items/0/v", 2));
  EXPECT_TRUE(fails("/items/2/1/items/1", {{"t", "none"}}));
  entry_["value"] = good;
  entry_["value"]["attrs"] = {{"_metadata", {{"t", "none"}}}};
  EXPECT_FALSE(passes());
  entry_["value"] = good;
  std::swap(entry_["value"]["items"][0], entry_["value"]["items"][1]);
  EXPECT_FALSE(passes()) << "the order of a dict counts";
}

TEST_F(Corpus, ComparesStridesOnlyIfRequested) {
  entry_["value"]["items"][0][1]["stride"] = {9, 9};
  EXPECT_TRUE(passes());
  EXPECT_EQ(run({.strict_stride = true}).failed, 1u);
}

TEST_F(Corpus, FailsForReadableFileThatMustBeRejected) {
  entry_["expect"] = "error";
  EXPECT_FALSE(passes());
}

TEST_F(Corpus, PassesForRejectedFileIfAllowed) {
  write("a.pt", "no checkpoint");
  EXPECT_FALSE(passes());
  for (const char* expect : {"error", "value_or_error"}) {
    entry_["expect"] = expect;
    EXPECT_TRUE(passes()) << expect;
  }
  fs::remove(folder_ / "a.pt");
  EXPECT_TRUE(passes()) << "no file at all";
}

TEST_F(Corpus, AcceptsOpaqueOnlyForUnsupportedParts) {
  entry_["value"]["items"][2][1] = {{"t", "opaque"}, {"class", "builtins.range"}};
  Opaque range;
  range.callable = Value::global("builtins", "range");
  const Json opaque = Describer()(Value::opaque(range));
  EXPECT_TRUE(
      differences(entry_["value"]["items"][2][1], opaque, {.may_stay_opaque = true}).empty());
  const Json known = {{"t", "int"}, {"v", 1}},
             sparse = {
                 {"t", "tensor"}, {"dtype", "f32"}, {"shape", {2}}, {"layout", "torch.sparse_coo"}};
  EXPECT_FALSE(differences(known, opaque, {.may_stay_opaque = true}).empty());
  EXPECT_TRUE(differences(sparse, opaque, {.may_stay_opaque = true}).empty());
  EXPECT_FALSE(differences(sparse, opaque, {}).empty());
  const Json outer = {
      {"t", "dict"}, {"class", "dict"}, {"items", {{{{"t", "str"}, {"v", "k"}}, known}}}};
  Json kept = outer;
  kept["items"][0][1] = opaque;
  EXPECT_TRUE(differences(outer, kept, {.opaque_keys = {"k"}}).empty());
  EXPECT_FALSE(differences(outer, kept, {.opaque_keys = {"other"}}).empty());
}

TEST_F(Corpus, FailsForInvalidIndex) {
  const Json good = entry_;
  const auto fails = [&](const char* field, const Json& value) {
    entry_ = good;
    entry_[field] = value;
    return run().failed == 1;
  };
  EXPECT_TRUE(fails("surprise", 1));
  EXPECT_TRUE(fails("kind", "zip"));
  EXPECT_TRUE(fails("expect", "anything"));
  EXPECT_TRUE(fails("must_fail", true));
  EXPECT_TRUE(fails("value", 5));
  entry_ = good;
  entry_.erase("value");
  EXPECT_FALSE(passes());
  entry_ = good;
  index_["format"] = 2;
  EXPECT_FALSE(passes());
}

TEST_F(Corpus, CanaryFailsAllFiles) {
  write("the_canary", "");
  EXPECT_FALSE(passes());
}

TEST_F(Corpus, SelectsByKindAndFile) {
  EXPECT_THROW(run({.families = {"safetensors"}}), std::runtime_error);
  EXPECT_THROW(run({.cases = {"b.pt"}}), std::runtime_error);
  EXPECT_EQ(run({.families = {"torch-zip"}, .cases = {"a.pt"}}).passed, 1u);
}

TEST_F(Corpus, WritesBackReadValues) {
  const fs::path out = folder_ / "out";
  fs::create_directories(out);
  EXPECT_EQ(run({.write_back = out.string()}).failed, 0u);
  EXPECT_EQ(run_directory(out.string(), {}).failed, 0u) << "the index of what was written is true";
}

TEST(InChild, ReportsEveryKindOfTermination) {
  EXPECT_EQ(fork_and_run(5, [] { return std::string("text"); }).text, "text");
  EXPECT_EQ(fork_and_run(5, [] { return std::string(1 << 20, 'x'); }).text.size(), 1u << 20);
  EXPECT_TRUE(contains(fork_and_run(5, []() -> std::string { std::abort(); }).error, "crashed"));
  EXPECT_TRUE(contains(fork_and_run(5, []() -> std::string { ::_exit(7); }).error, "status 7"));
  EXPECT_TRUE(contains(
      fork_and_run(5, []() -> std::string { throw std::runtime_error("why"); }).error, "why"));
  const ChildResult endless = fork_and_run(1, []() -> std::string {
    while (::getpid() != 0) {}
    return "";
  });
  EXPECT_TRUE(contains(endless.error, "stopped after 1 s"));
}

TEST(ErrorText, IsClearIfItNamesFileAndProblem) {
  EXPECT_EQ(check_error_clarity("load: /x/a.pt: the zip archive is truncated", "/x/a.pt"), "");
  EXPECT_NE(check_error_clarity("load: the zip archive is truncated", "/x/a.pt"), "");
  EXPECT_NE(check_error_clarity("/x/a.pt: bad", "/x/a.pt"), "");
  EXPECT_NE(check_error_clarity("load: /x/a.pt: the record '\x01' is damaged", "/x/a.pt"), "");
  EXPECT_NE(check_error_clarity("load: /x/a.pt: " + std::string(5000, 'x'), "/x/a.pt"), "");
}

TEST(ErrorText, NamesUnsupportedParts) {
  const Json value = Json::parse(R"({"t": "dict", "class": "dict", "items": [
      [{"t": "str", "v": "vector"}, {"t": "tensor", "dtype": "c64", "shape": [2]}]]})");
  FileEntry entry;
  entry.value = &value;
  EXPECT_EQ(check_error_names("at 'vector': storages of ComplexFloatStorage are not known", entry),
            "");
  EXPECT_EQ(check_error_names("tensor 'vector' has dtype C64, which is not supported", entry), "");
  EXPECT_NE(check_error_names("dtype C64 is not supported", entry), "") << "where?";
  EXPECT_NE(check_error_names("'vector' is not supported", entry), "") << "what?";
  entry.kind = "torchscript";
  EXPECT_NE(check_error_names("it is a TorchScript archive", entry), "");
  EXPECT_EQ(check_error_names("it is a TorchScript archive: save its state_dict()", entry), "");
}

TEST(Walk, VisitsEachPartOnceAndReportsStorageOverruns) {
  Value shared = Value::list({1});
  for (int i = 0; i < 200; ++i) shared = Value::list({shared, shared});
  const WalkResult walk_result =
      walk(Value::tuple({shared, ones({4}), zeros({2}).expand({1000, 2})}));
  EXPECT_EQ(walk_result.storage_bytes, 24u);
  EXPECT_EQ(walk_result.wrong, "");
  EXPECT_TRUE(contains(walk_result.summary, "2 tensors"));
}

}  // namespace
}  // namespace taper::oracle
