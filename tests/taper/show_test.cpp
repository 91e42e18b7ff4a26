// The subcommand `taper show`.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "characters.h"
#include "command.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper/io/load_error.h"
#include "taper/io/save.h"
#include "taper/nn/linear.h"
#include "taper/nn/python_interop.h"
#include "taper/nn/sequential.h"

namespace taper::cli::test {
namespace {

using taper::Value;

class Show : public testing::Test {
 protected:
  std::string file(const Value& value, const std::string& name = "a.pt",
                   const taper::SaveOptions& options = {}) const {
    taper::save(value, folder / name, options);
    return folder / name;
  }
  TempDir folder;
};

TEST_F(Show, ListsTensorsAndTotals) {
  const Outcome o = run({"show", file(small_state())});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* part : {"PyTorch checkpoint (zip)", "fc.weight  [3, 2]  float32  24 B",
                           "steps      []      int64", "3 tensors, 10 elements, 44 B"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  EXPECT_FALSE(contains(o.out, "\033")) << "colors without a terminal";
}

TEST_F(Show, PrintsJson) {
  const Outcome o = run({"show", file(small_state()), "--json", "--stats", "--tree"});
  EXPECT_EQ(o.status, 0) << o.err;
  const auto json = o.json();
  EXPECT_EQ(json["kind"], "torch_zip");
  EXPECT_EQ(json["type"], "OrderedDict");
  ASSERT_EQ(json["tensors"].size(), 3u);
  const auto& weight = json["tensors"][0];
  EXPECT_EQ(weight["name"], "fc.weight");
  EXPECT_EQ(weight["shape"], (std::vector<int>{3, 2}));
  EXPECT_EQ(weight["dtype"], "float32");
  EXPECT_EQ(weight["bytes"], 24);
  EXPECT_EQ(weight["shares_with"], nullptr);
  EXPECT_EQ(weight["stats"]["min"], 1.0);
  EXPECT_EQ(weight["stats"]["max"], 6.0);
  EXPECT_EQ(weight["stats"]["mean"], 3.5);
  EXPECT_NEAR(weight["stats"]["std"].get<double>(), std::sqrt(3.5), 1e-12);
  EXPECT_EQ(json["totals"]["elements"], 10);
  EXPECT_EQ(json["tree"]["children"][0]["path"], "fc");
}

TEST_F(Show, SelectsByPatternAndModule) {
  const std::string path = file(small_state());
  EXPECT_EQ(run({"show", path, "fc", "--json"}).json()["tensors"].size(), 2u);
  EXPECT_EQ(run({"show", path, "*.bias", "--json"}).json()["tensors"].size(), 1u);
  EXPECT_EQ(run({"show", path, "fc.[vw]eigh?", "--json"}).json()["tensors"].size(), 1u);
  const Outcome none = run({"show", path, "conv*"});
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(contains(none.err, "no tensor name matches 'conv*'"));
}

TEST_F(Show, NamesSharedMemory) {
  const taper::Tensor t = taper::ones({4, 4});
  const std::string path =
      file(Value::dict({{"a", t}, {"b", t.t()}, {"c", t.narrow(0, 1, 2)}, {"d", t + 1}}));
  const auto tensors = run({"show", path, "--json"}).json()["tensors"];
  EXPECT_EQ(tensors[1]["shares_with"], "a");
  EXPECT_EQ(tensors[2]["shares_with"], "a");
  EXPECT_EQ(tensors[3]["shares_with"], nullptr);
  EXPECT_EQ(run({"show", path, "--json"}).json()["totals"]["bytes"], 128);
}

TEST_F(Show, CountsNonFiniteValues) {
  const float nan = std::nanf(""), inf = HUGE_VALF;
  const std::string path = file(Value::dict({{"w", taper::tensor({nan, 1.0f, -inf, 3.0f, nan})}}));
  const auto stats = run({"show", path, "--stats", "--json"}).json()["tensors"][0]["stats"];
  EXPECT_EQ(stats["nan"], 2);
  EXPECT_EQ(stats["inf"], 1);
  EXPECT_EQ(stats["min"], 1.0);
  EXPECT_EQ(stats["max"], 3.0);
  EXPECT_TRUE(contains(run({"show", path, "--stats"}).out, "2 NaNs, 1 inf"));
}

TEST_F(Show, ListsNestedCheckpoints) {
  const std::string path = file(Value::dict({{"epoch", 3},
                                             {"model", small_state()},
                                             {"history", Value::list({0.5, 0.25})},
                                             {"name", "a\nb\033[31m"}}));
  const Outcome o = run({"show", path});
  for (const char* part : {"model.fc.weight", "epoch", "[0.5, 0.25]", "'a\\x0ab\\x1b[31m'"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  EXPECT_EQ(run({"show", path, "--key", "model", "--json"}).json()["tensors"][0]["name"],
            "fc.weight");
  const Outcome wrong = run({"show", path, "--key", "weights"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(
      contains(wrong.err, "unknown key 'weights': expected one of epoch, model, history, name"));
}

TEST_F(Show, NamesClassesOfPickledModules) {
  const taper::nn::Sequential net{taper::nn::Linear(2, 3), taper::nn::Linear(3, 1)};
  const std::string path = file(taper::nn::to_pickle(net));
  const Outcome o = run({"show", path});
  EXPECT_TRUE(contains(o.out, "torch.nn.modules.linear.Linear(in_features=2, out_features=3)"));
  const auto modules = run({"show", path, "--json"}).json()["modules"];
  ASSERT_EQ(modules.size(), 3u);
  EXPECT_EQ(modules[1]["name"], "0");
  EXPECT_EQ(modules[1]["training"], true);
}

TEST_F(Show, ReadsShardDirectoriesAndMetadata) {
  file(small_state(), "model.safetensors",
       {.format = taper::FileFormat::safetensors, .max_shard_size = 24});
  const Outcome o = run({"show", folder.path()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "in 2 shards"));
  const std::string single =
      file(small_state(), "b.safetensors",
           {.format = taper::FileFormat::safetensors, .metadata = {{{"author", "me"}}}});
  EXPECT_EQ(run({"show", single, "--json"}).json()["metadata"]["author"], "me");
}

TEST_F(Show, SelectsSameFileOfFolderAsLoad) {
  const auto report = [&](const Outcome& o) {
    return o.status == 0 ? o.out.substr(0, o.out.find('\n')) : o.err;
  };
  // In the output of a Hugging Face training run, safetensors files take precedence.
  file(small_state(), "pytorch_model.bin");
  file(small_state(), "optimizer.pt");
  file(small_state(), "model.safetensors", {.format = taper::FileFormat::safetensors});
  for (const char* verb : {"show", "check"}) {
    const Outcome o = run({verb, folder.path(), "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.json()["file"], folder / "model.safetensors");
    EXPECT_EQ(o.json()["kind"], "safetensors");
  }
  EXPECT_EQ(run({"diff", folder.path(), folder / "optimizer.pt"}).status, 0);
  file(small_state(), "other.safetensors", {.format = taper::FileFormat::safetensors});
  std::string reason;
  try {
    (void)taper::load(folder.path());
  } catch (const taper::LoadError& e) { reason = e.reason(); }
  EXPECT_TRUE(contains(reason, "2 checkpoints (model.safetensors, other.safetensors)"));
  const std::string expected = "taper: " + folder.path() + ": " + reason + "\n";
  for (const char* verb : {"show", "check"})
    EXPECT_EQ(report(run({verb, folder.path()})), expected);
  EXPECT_EQ(report(run({"diff", folder.path(), folder / "optimizer.pt"})), expected);
  EXPECT_EQ(report(run({"convert", folder.path(), folder / "x.pt"})), expected);
}

TEST_F(Show, ReportsStorageOfViews) {
  const std::string path = file(Value::dict({{"row", taper::ones({1000, 4}).select(0, 0)}}));
  EXPECT_TRUE(
      contains(run({"show", path}).out, "1 tensor, 4 elements, 16 B in 16.0 kB of storage"));
  EXPECT_EQ(run({"show", path, "--json"}).json()["totals"]["storage"], 16000);
}

TEST_F(Show, FitsNarrowTerminals) {
  const std::string path = file(Value::dict(
      {{"a.very.long.name.of.a.module.in.a.module.in.a.module.in.a.module.in.a.module.weight",
        taper::ones({2})},
       {"b", taper::ones({2})}}));
  const Outcome o = run_on_terminal({"show", path, "--stats"});
  std::istringstream lines(o.out);
  lines.ignore(1 << 20, '\n');  // skips the path of the file, which can be longer
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t at; (at = line.find('\033')) != std::string::npos;)
      line.erase(at, line.find('m', at) - at + 1);
    EXPECT_LE(width_of(line), 101u) << line;  // 100 columns and \r
  }
  EXPECT_TRUE(contains(o.out, "a.very.") && contains(o.out, ".weight"));
  EXPECT_FALSE(contains(o.out, "█")) << "a histogram where a name had to be cut";
}

TEST_F(Show, DrawsOnlyOnTerminals) {
  const std::string path = file(small_state());
  const Outcome terminal = run_on_terminal({"show", path, "--stats"});
  EXPECT_TRUE(contains(terminal.out, "\033[1m"));
  EXPECT_TRUE(contains(terminal.out, "█"));
  const Outcome plain = run_on_terminal({"show", path, "--stats"}, "", "", true);
  EXPECT_FALSE(contains(plain.out, "\033[")) << "NO_COLOR";
  EXPECT_TRUE(contains(plain.out, "█"));
  EXPECT_FALSE(contains(run({"show", path, "--stats"}).out, "█"));
  EXPECT_TRUE(contains(run({"show", path, "--stats", "--color", "always"}).out, "█"));
}

TEST_F(Show, IgnoresClosedPipe) {
  const Value many = Value::dict();
  for (int i = 0; i < 3000; ++i)
    many.as_dict().set("layers." + std::to_string(i) + ".weight", taper::zeros({1}));
  const Outcome o = run_shell("($TAPER show '" + file(many) + "'; echo status $? >&2) | head -n 1");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.err, "status 0\n");
}

TEST_F(Show, ReportsInvalidFiles) {
  write_bytes(folder / "page.pt", "<!DOCTYPE html><html><body>Not found</body></html>");
  write_bytes(folder / "empty.pt", "");
  for (const char* name : {"page.pt", "empty.pt", "none.pt"}) {
    const Outcome o = run({"show", folder / name});
    EXPECT_EQ(o.status, 1) << name;
    EXPECT_TRUE(contains(o.err, name));
    EXPECT_EQ(run({"show", folder / name, "--json"}).json().count("error"), 1u);
  }
}

}  // namespace
}  // namespace taper::cli::test
