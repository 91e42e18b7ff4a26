// The subcommand `taper summary`, plugins and usage errors.
#include <gtest/gtest.h>

#include "command.h"
#include "taper/io/save.h"
#include "taper/nn/linear.h"
#include "taper/nn/python_interop.h"
#include "taper/nn/sequential.h"
#include "taper_paths.h"

namespace taper::cli::test {
namespace {

TEST(Summary, ShowsLeNet) {
  const Outcome o = run({"summary", "lenet", "--input", "1x1x28x28"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* part :
       {"Conv2d-1  conv1  [1, 20, 24, 24]", "431,080 parameters", "Linear-4  fc2"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  EXPECT_EQ(run({"summary", "lenet"}).out, o.out);
  const auto json = run({"summary", "lenet", "--input", "1x1x28x28", "--json"}).json();
  EXPECT_EQ(json["parameters"], 431080);
  EXPECT_EQ(json["layers"].size(), 4u);
  EXPECT_EQ(json["layers"][0]["outputs"][0], (std::vector<int>{1, 20, 24, 24}));
}

TEST(Summary, KnowsNetworksByName) {
  const Outcome o = run({"summary", "resnet18", "--torchsummary"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* part :
       {"            Conv2d-1         [-1, 64, 112, 112]           9,408\n",
        "Total params: 11,689,512\n", "Forward/backward pass size (MB): 62.79\n"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
  EXPECT_EQ(run({"summary", "resnet18", "--json"}).json()["multiply_adds"], 1814073344);
  const auto json =
      run({"summary", "mobilenet_v3_small(num_classes=4)", "--input", "1x3x32x32", "--json"})
          .json();
  EXPECT_EQ(json["layers"].back()["outputs"][0], (std::vector<int>{1, 4}));
  EXPECT_EQ(run({"summary", "lstm_tagger", "--ids", "--input", "5", "--json"}).json()["model"],
            "LSTMTagger");
  const auto gpt2 = run({"summary", "gpt2(n_layer=2, n_embd=32, n_head=2, vocab_size=50)", "--ids",
                         "--input", "1x7", "--json"})
                        .json();
  EXPECT_EQ(gpt2["model"], "GPT2LMHeadModel");
  EXPECT_EQ(gpt2["layers"].back()["outputs"][0], (std::vector<int>{1, 7, 50}));
  EXPECT_EQ(run({"summary", "resnet18(classes=4)"}).status, 2);
}

TEST(Summary, CreatesModulesFromPythonExpressions) {
  const auto parameters = [](const std::vector<std::string>& model) {
    std::vector<std::string> line = {"summary"};
    line.insert(line.end(), model.begin(), model.end());
    line.insert(line.end(), {"--input", "1x10", "--json"});
    const Outcome o = run(line);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.json()["parameters"].get<int>();
  };
  EXPECT_EQ(parameters({"Linear(10, 3)"}), 33);
  EXPECT_EQ(parameters({"Linear(10, out_features=3, bias=False)"}), 30);
  EXPECT_EQ(parameters({"linear", "--arg", "in_features=10", "--arg", "out_features=3"}), 33);
  EXPECT_EQ(parameters({"Sequential(Linear(10, 4), ReLU(), Linear(4, 2))"}), 54);
}

TEST(Summary, LoadsPlugins) {
  const Outcome o = run({"summary", "LibraryNet", "--arg", "width=4", "--plugin",
                         TAPER_TEST_LIBRARY, "--input", "1x4", "--json"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.json()["parameters"], 5);
  EXPECT_EQ(run({"summary", "LibraryNet", "--arg", "width=4", "--input", "1x4"}).status, 2);
  const Outcome none = run({"summary", "LibraryNet", "--plugin", "./nowhere.so", "--input", "1x4"});
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(contains(none.err, "cannot load the plugin ./nowhere.so"));
}

TEST(Summary, ReadsPickledModules) {
  const TempDir folder;
  const taper::nn::Sequential net{taper::nn::Linear(10, 4), taper::nn::Linear(4, 2)};
  taper::save(taper::nn::to_pickle(net), folder / "net.pt");
  taper::save(small_state(), folder / "weights.pt");
  EXPECT_EQ(run({"summary", folder / "net.pt", "--input", "1x10", "--json"}).json()["parameters"],
            54);
  const Outcome weights = run({"summary", folder / "weights.pt", "--input", "1x10"});
  EXPECT_EQ(weights.status, 1);
  EXPECT_TRUE(contains(weights.err, "weights.pt: the file does not contain a whole module"));
}

TEST(Summary, ReportsErrors) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> wrong = {
      {{"summary", "Linaer(10, 3)", "--input", "1x10"}, "did you mean 'Linear'?"},
      {{"summary", "Linear(10, 3", "--input", "1x10"}, "syntax error at character 13"},
      {{"summary", "Linear(10, 3, wrong=2)", "--input", "1x10"}, "wrong"},
      {{"summary", "Linear(10, 3)", "--input", "ten"}, "invalid shape 'ten'"},
      {{"summary", "Linear(10, 3)", "--arg", "bias=False", "--input", "1x10"},
       "--arg cannot be combined with arguments in parentheses"},
      {{"summary", "Linear(10, 3)", "--input", "0x10"}, "expected a positive batch size"},
      {{"summary", "Linear(10, 3)"}, "--input is required"}};
  for (const auto& [line, part] : wrong) {
    const Outcome o = run(line);
    EXPECT_EQ(o.status, 2) << line[1];
    EXPECT_TRUE(contains(o.err, part));
  }
  const Outcome misfit = run({"summary", "lenet", "--input", "3x28x28"});
  EXPECT_EQ(misfit.status, 1);
  EXPECT_TRUE(contains(misfit.err, "in conv1: Conv2d(1, 20"));
}

TEST(UsageErrors, ArePrintedAsJson) {
  for (const std::vector<std::string>& line : {std::vector<std::string>{"show", "--json"},
                                               {"show", "a.pt", "--nothing", "--json"},
                                               {"diff", "a.pt", "b.pt", "--rtol", "nan", "--json"},
                                               {"check", "a.pt", "--limit", "-1", "--json"},
                                               {"shwo", "a.pt", "--json"}}) {
    const Outcome o = run(line);
    EXPECT_EQ(o.status, 2) << line[0];
    EXPECT_EQ(o.json().count("error"), 1u) << line[0];
  }
  EXPECT_TRUE(contains(run({"shwo"}).err, "unknown command 'shwo': expected one of show, diff"));
  EXPECT_TRUE(contains(run({"diff", "a", "b", "--rtol", "x"}).err,
                       "--rtol: expected a number >= 0, got 'x'"));
  const Outcome nothing = run({});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(contains(nothing.err, "Subcommands:"));
}

const std::vector<std::pair<const char*, const char*>> kUsages = {
    {"show", "file [pattern]"},
    {"diff", "A B"},
    {"check", "file"},
    {"convert", "IN OUT"},
    {"merge", "IN... OUT"},
    {"split", "IN OUT_DIR"},
    {"summary", "model"},
    {"train", "[model]"},
    {"predict", "[model]"},
    {"report", "runs..."},
    {"run", "[--] PROGRAM [ARGUMENTS...]"},
    {"plan-dist", "model"}};

TEST(Help, NamesAllArgumentsInTheUsage) {
  for (const auto& [command, arguments] : kUsages) {
    const std::string help = run({command, "--help"}).out;
    EXPECT_TRUE(
        contains(help, std::string("\nUsage: taper ") + command + " [OPTIONS] " + arguments + "\n"))
        << help;
  }
}

TEST(UsageErrors, SuggestOptionsThatAreMeant) {
  for (const auto& [command, arguments] : kUsages) {
    const Outcome o = run({command, "--colour", "never"});
    EXPECT_EQ(o.status, 2);
    EXPECT_TRUE(contains(
        o.err, std::string(command) + ": unknown option '--colour': did you mean '--color'?"))
        << o.err;
  }
  const auto error_of = [](const std::vector<std::string>& line) {
    const Outcome o = run(line);
    EXPECT_EQ(o.status, 2);
    return o.err;
  };
  EXPECT_TRUE(contains(error_of({"train", "lenet", "--data", "x", "--epoch", "3"}),
                       "train: unknown option '--epoch': did you mean '--epochs'?\n"));
  EXPECT_TRUE(contains(error_of({"train", "lenet", "--epoch=3"}), "did you mean '--epochs'?"));
  EXPECT_TRUE(contains(error_of({"predict", "lenet", "--weight", "w.pt", "--image", "x.png"}),
                       "unknown option '--weight': did you mean '--weights'?"));
  EXPECT_TRUE(contains(error_of({"convert", "a", "b", "--max-shard", "5GB"}),
                       "unknown option '--max-shard': did you mean '--max-shard-size'?"));
  EXPECT_TRUE(contains(error_of({"show", "a.pt", "-x"}), "show: unknown option '-x'\n"));
  EXPECT_TRUE(contains(error_of({"show", "a.pt", "--frobnicate"}), "option '--frobnicate'\n"));
  EXPECT_TRUE(contains(error_of({"--versio"}), "option '--versio': did you mean '--version'?"));
  EXPECT_TRUE(contains(error_of({"trian"}), "did you mean 'train'?"));
  // Superfluous arguments are listed in their order.
  EXPECT_TRUE(contains(error_of({"check", "a", "b", "c"}), "unexpected arguments 'b' 'c'\n"));
  EXPECT_TRUE(contains(error_of({"check", "a", "b"}), "unexpected argument 'b'\n"));
}

}  // namespace
}  // namespace taper::cli::test
