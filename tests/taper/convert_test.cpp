// The subcommands `taper convert`, `merge` and `split`.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iterator>

#include "command.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/nn/linear.h"
#include "taper/nn/python_interop.h"

namespace taper::cli::test {
namespace {

using namespace std::string_literals;
using taper::Value;

class Conversion : public testing::Test {
 protected:
  std::string file(const Value& value, const std::string& name = "a.pt") const {
    taper::save(value, folder / name);
    return folder / name;
  }
  void expect_same(const std::string& a, const std::string& b) const {
    const Outcome o = run({"diff", a, b});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
  }
  TempDir folder;
};

TEST_F(Conversion, PreservesValuesBetweenFormats) {
  const std::string a = file(small_state());
  for (const char* name : {"b.safetensors", "c.pt", "d.bin"}) {
    const Outcome o = run({"convert", a, folder / name});
    EXPECT_EQ(o.status, 0) << o.err;
    expect_same(a, folder / name);
  }
  EXPECT_EQ(run({"convert", folder / "b.safetensors", folder / "e.pth", "--legacy"}).status, 0);
  expect_same(a, folder / "e.pth");
  EXPECT_EQ(run({"show", folder / "e.pth", "--json"}).json()["kind"], "torch_legacy");
}

TEST_F(Conversion, ChangesNamesDtypesAndMetadata) {
  const std::string a = file(small_state()), to = folder / "b.safetensors";
  const Outcome o = run({"convert", a, to, "--rename", "fc.*=head.*", "--prefix", "net.", "--keys",
                         "fc", "--dtype", "float16", "--metadata", "author=me=you", "--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.json()["tensors"], 2);
  EXPECT_EQ(o.json()["left_out"], 1);
  EXPECT_EQ(o.json()["renamed"], 2);
  EXPECT_EQ(o.json()["converted"], 2);
  const Value back = taper::load(to);
  EXPECT_EQ(back["net.head.weight"].as_tensor().dtype(), taper::float16);
  EXPECT_EQ(back["net.head.bias"].as_tensor()[1].item<float>(), -0.5f);
  const auto metadata = run({"show", to, "--json"}).json()["metadata"];
  EXPECT_EQ(metadata["author"], "me=you");
  EXPECT_EQ(metadata["format"], "pt");
}

TEST_F(Conversion, RenamesByRegularExpression) {
  const std::string to = folder / "b.pt";
  EXPECT_EQ(run({"convert", file(small_state()), to, "--rename-regex", "^f(c)\\.=$1$1."}).status,
            0);
  EXPECT_TRUE(taper::load(to).contains("cc.weight"));
  const Outcome clash = run({"convert", folder / "a.pt", to, "--rename", "fc.*=x"});
  EXPECT_EQ(clash.status, 1);
  EXPECT_TRUE(contains(clash.err, "'fc.weight' and 'fc.bias' would both be named 'x'"));
  EXPECT_EQ(run({"convert", folder / "a.pt", to, "--rename-regex", "(=x"}).status, 2);
  EXPECT_EQ(run({"convert", folder / "a.pt", to, "--rename", "a=*"}).status, 2);
}

TEST_F(Conversion, ReportsPartThatSafetensorsCanStore) {
  const std::string run_file =
      file(Value::dict({{"epoch", 3}, {"model_state_dict", small_state()}}));
  const Outcome o = run({"convert", run_file, folder / "b.safetensors"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.err, "'epoch' is int"));
  EXPECT_TRUE(contains(o.err, "--key model_state_dict"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b.safetensors"));
  EXPECT_EQ(
      run({"convert", run_file, folder / "b.safetensors", "--key", "model_state_dict"}).status, 0);
}

TEST_F(Conversion, RejectsSharedTensorsUnlessUnshared) {
  const taper::Tensor t = taper::rand({3, 2});
  const std::string a = file(Value::dict({{"first", t}, {"second", t.t()}}));
  const Outcome o = run({"convert", a, folder / "b.safetensors"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.err, "'first' and 'second' share memory"));
  EXPECT_EQ(run({"convert", a, folder / "b.safetensors", "--unshare"}).status, 0);
  expect_same(a, folder / "b.safetensors");
  // Tensors converted together still share memory.
  EXPECT_EQ(run({"convert", a, folder / "c.pt"}).status, 0);
  EXPECT_EQ(run({"show", folder / "c.pt", "--json"}).json()["tensors"][1]["shares_with"], "first");
}

TEST_F(Conversion, PreservesTiesInOtherDtype) {
  const taper::Tensor t = taper::rand({3, 2});
  const std::string a = file(Value::dict({{"first", t}, {"second", t}, {"n", 3}}));
  EXPECT_EQ(run({"convert", a, folder / "b.pt", "--dtype", "bf16"}).status, 0);
  const auto json = run({"show", folder / "b.pt", "--json"}).json();
  EXPECT_EQ(json["tensors"][1]["shares_with"], "first");
  EXPECT_EQ(json["tensors"][1]["dtype"], "bfloat16");
  EXPECT_EQ(json["values"][0]["value"], 3);
}

TEST_F(Conversion, KeepsExpandedTensorsExpanded) {
  const std::string a =
      file(Value::dict({{"w", taper::ones({1}).expand({std::int64_t{1} << 40})}}));
  EXPECT_EQ(run({"convert", a, folder / "b.pt", "--dtype", "float16"}).status, 0);
  EXPECT_EQ(run({"show", folder / "b.pt", "--json"}).json()["tensors"][0]["dtype"], "float16");
  EXPECT_LT(read_bytes(folder / "b.pt").size(), 10'000u);
  const Outcome o = run({"convert", a, folder / "b.safetensors"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.err, "'w' repeats its elements"));
}

TEST_F(Conversion, ConvertsPickledModulesToStateDicts) {
  taper::nn::Linear fc(2, 3);
  const std::string a = file(taper::nn::to_pickle(fc));
  EXPECT_EQ(run({"convert", a, folder / "b.safetensors"}).status, 0);
  EXPECT_TRUE(taper::equal(taper::load(folder / "b.safetensors")["weight"].as_tensor(),
                           fc.weight.detach()));
  EXPECT_EQ(run({"convert", a, folder / "c.pt"}).status, 0);
  EXPECT_EQ(run({"show", folder / "c.pt", "--json"}).json()["modules"].size(), 1u);
}

TEST_F(Conversion, FlattensAllTensorsIntoOneDict) {
  taper::save(Value::dict({{"epoch", 3},
                           {"model", small_state()},
                           {"moments", Value::list({taper::ones({2}), taper::zeros({3})})}}),
              folder / "run.pt");
  const Outcome o =
      run({"convert", folder / "run.pt", folder / "all.safetensors", "--flatten", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const Value all = taper::load(folder / "all.safetensors");
  EXPECT_EQ(all.size(), 5u);
  EXPECT_TRUE(taper::equal(all["model.fc.bias"].as_tensor(), small_state()["fc.bias"].as_tensor()));
  EXPECT_TRUE(taper::equal(all["moments.1"].as_tensor(), taper::zeros({3})));
  // A single tensor gets its whole name from the prefix.
  taper::save(taper::ones({2, 2}), folder / "t.pt");
  ASSERT_EQ(
      run({"convert", folder / "t.pt", folder / "t.safetensors", "--flatten", "--prefix", "weight"})
          .status,
      0);
  EXPECT_TRUE(taper::load(folder / "t.safetensors").contains("weight"));
}

// Tensors above the memory limit are stored in an unnamed temporary file, of which nothing remains.
TEST_F(Conversion, ConvertsLargeTensorsInPieces) {
  const taper::Tensor wide = taper::rand({3, 1 << 21}), tall = taper::rand({1 << 21, 2});
  taper::save(Value::dict({{"wide", wide}, {"turned", tall.t()}}), folder / "a.pt");
  ASSERT_EQ(run({"convert", folder / "a.pt", folder / "b.pt", "--dtype", "bf16"}).status, 0);
  const Value b = taper::load(folder / "b.pt");
  EXPECT_TRUE(taper::equal(b["wide"].as_tensor(), wide.to(taper::bfloat16)));
  EXPECT_TRUE(taper::equal(b["turned"].as_tensor(), tall.t().to(taper::bfloat16)));
  const auto files = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

TEST_F(Conversion, CountsOverflowedValues) {
  taper::save(Value::dict({{"w", taper::tensor({1e6f, -1e6f, 1.0f, HUGE_VALF})}}), folder / "a.pt");
  const Outcome o =
      run({"convert", folder / "a.pt", folder / "b.pt", "--dtype", "float16", "--json"});
  EXPECT_EQ(o.json()["overflowed"], 2) << o.out;
}

TEST_F(Conversion, LeavesNoFilesAfterTermination) {
  taper::save(Value::dict({{"w", taper::rand({1 << 24})}}), folder / "a.pt");
  for (const char* signal : {"INT", "TERM", "HUP"})
    for (const char* seconds : {"0.02", "0.05", "0.1"}) {
      run_shell("timeout -s "s + signal + " " + seconds + " $TAPER convert '" + folder.path() +
                "/a.pt' '" + folder.path() + "/b.safetensors'");
      for (const auto& file : std::filesystem::directory_iterator(folder.path()))
        EXPECT_FALSE(contains(file.path().filename().string(), ".taper-")) << file.path();
    }
  // A file that cannot grow is an error, not a signal.
  const Outcome full = run_shell("ulimit -f 1000; $TAPER convert '" + folder.path() + "/a.pt' '" +
                                 folder.path() + "/c.pt'");
  EXPECT_EQ(full.status, 1);
  EXPECT_TRUE(contains(full.err, "File too large"));
  EXPECT_FALSE(std::filesystem::exists(folder / "c.pt"));
  // A directory created by the failed command is removed again.
  taper::save(Value::list({1}), folder / "l.pt");
  EXPECT_EQ(run({"split", folder / "l.pt", folder / "new"}).status, 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST_F(Conversion, RejectsWrongUsage) {
  const std::string a = file(small_state());
  const std::vector<std::vector<std::string>> wrong = {
      {"convert", a},
      {"convert", a, folder / "b.zip"},
      {"convert", a, folder / "b.pt", "--metadata", "a=b"},
      {"convert", a, folder / "b.safetensors", "--legacy"},
      {"convert", a, folder / "b.safetensors", "--metadata", "nothing"},
      {"convert", a, folder / "b.safetensors", "--max-shard-size", "lots"},
      {"convert", a, folder / "b.pt", "--dtype", "int8"}};
  for (const auto& arguments : wrong) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 2) << arguments.back();
    EXPECT_FALSE(o.err.empty());
  }
}

TEST_F(Conversion, SplitsAndMerges) {
  const std::string a = file(small_state());
  const Outcome split = run({"split", a, folder / "parts", "--max-shard-size", "24", "--json"});
  EXPECT_EQ(split.status, 0) << split.err;
  EXPECT_EQ(split.json()["files"].size(), 3u);
  expect_same(a, folder / "parts");
  EXPECT_EQ(run({"merge", folder / "parts", folder / "b.pt"}).status, 0);
  expect_same(a, folder / "b.pt");
  const std::string first = folder / "parts/model-00001-of-00002.safetensors",
                    second = folder / "parts/model-00002-of-00002.safetensors";
  EXPECT_EQ(run({"merge", first, second, folder / "c.safetensors"}).status, 0);
  expect_same(a, folder / "c.safetensors");
  const Outcome twice = run({"merge", first, first, folder / "d.pt"});
  EXPECT_EQ(twice.status, 1);
  EXPECT_TRUE(contains(twice.err, "duplicate name"));
  EXPECT_EQ(run({"merge", first}).status, 2);
  const Outcome whole = run({"split", a, folder / "whole"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_TRUE(contains(whole.out, "all in one file"));
}

}  // namespace
}  // namespace taper::cli::test
