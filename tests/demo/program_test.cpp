// The program as a user runs it: without a terminal, on a terminal, interrupted, resumed.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/contains.h"
#include "support/program.h"
#include "support/temp_dir.h"
#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper_paths.h"

namespace demo {
namespace {

using taper::test::contains, taper::test::ProgramResult, taper::test::run_on_terminal,
    taper::test::run_program, taper::test::TempDir;

const char* const kProgram = TAPER_BIN_DIR "/lenet_demo";

struct Outcome {
  explicit Outcome(const ProgramResult& result)
      : status(result.status), text(result.out + result.err) {}
  int status;
  std::string text;
};

Outcome run(const std::vector<std::string>& arguments, const std::string& trigger = "",
            const std::string& keys = "") {
  std::vector<std::string> all = {kProgram};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return Outcome(trigger.empty() ? run_program(all) : run_on_terminal(all, trigger, keys));
}

class Program : public testing::Test {
 protected:
  /// Returns the path of the output directory, which does not exist yet, followed by `name`.
  std::string output(const std::string& name = "") const { return dir_ / ("output" + name); }
  TempDir dir_;
};

TEST_F(Program, WritesPlainTextWithoutTerminal) {
  const Outcome o = run({"--epochs", "1", "--threads", "1", "--output", output()});
  EXPECT_EQ(o.status, 0) << o.text;
  EXPECT_EQ(o.text.find('\r'), std::string::npos);
  EXPECT_TRUE(
      contains(o.text, "LeNet(\n  (conv1): Conv2d(1, 20, kernel_size=(5, 5), stride=(1, 1))"));
  for (const char* part : {"431,080 parameters", "epoch  train loss", "\n    1  ", "read as",
                           "mistakes (digit, prediction, probability)", "██"})
    EXPECT_TRUE(contains(o.text, part));
  EXPECT_TRUE(std::filesystem::exists(output("/checkpoint.pt")));
  const taper::Value weights = taper::load(output("/lenet.pt"));
  EXPECT_EQ(weights.size(), 8u);
  EXPECT_EQ(weights["fc1.weight"].as_tensor().shape(), taper::Shape({500, 800}));
}

TEST_F(Program, StopsOnCtrlCAndResumesToSameBits) {
  const std::string whole = output("/whole"), part = output("/part");
  ASSERT_EQ(run({"--epochs", "3", "--seed", "2", "--output", whole}).status, 0);
  const Outcome stopped =
      run({"--epochs", "3", "--seed", "2", "--output", part}, "samples/s", "\x03");
  EXPECT_EQ(stopped.status, 130) << stopped.text;
  EXPECT_TRUE(contains(stopped.text, "continue with --resume"));
  EXPECT_TRUE(std::filesystem::exists(part + "/lenet.pt"));
  const Outcome resumed = run({"--resume", "--output", part});
  EXPECT_EQ(resumed.status, 0) << resumed.text;
  const taper::Value a = taper::load(whole + "/lenet.pt"), b = taper::load(part + "/lenet.pt");
  for (const auto& [name, value] : a.as_dict())
    EXPECT_TRUE(taper::equal(value.as_tensor(), b[name].as_tensor())) << name.str();
}

TEST_F(Program, RejectsWrongOptions) {
  const std::vector<std::vector<std::string>> wrong = {{"--no-such-option"},
                                                       {"--lr", "fast"},
                                                       {"--lr", "-1"},
                                                       {"--epochs", "0"},
                                                       {"--batch", "-3"},
                                                       {"--threads", "0"},
                                                       {"--resume", "--lr", "0.1"},
                                                       {"--resume", "--optimizer", "Adam"}};
  for (const auto& arguments : wrong) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.status, 2) << arguments[0] << "\n" << o.text;
    EXPECT_FALSE(o.text.empty());
  }
  EXPECT_EQ(run({"--help"}).status, 0);
  EXPECT_TRUE(contains(run({"--optimizer", "Adma"}).text, "Adam,AdamW"));
  EXPECT_TRUE(contains(run({"--schedule", "StepLr"}).text, "SequentialLR,StepLR"));
}

TEST_F(Program, TrainsWithOptimizerAndScheduleByName) {
  const Outcome o = run({"--optimizer", "AdamW", "--schedule", "OneCycleLR", "--lr", "0.002",
                         "--epochs", "1", "--output", output()});
  ASSERT_EQ(o.status, 0) << o.text;
  const taper::Value saved = taper::load(output("/checkpoint.pt"));
  EXPECT_EQ(saved["step_scheduler_state_dict"]["total_steps"].as_int(), 23);
  EXPECT_EQ(saved["optimizer_state_dict"]["param_groups"][0]["max_lr"].as_double(), 0.002);
  const Outcome longer = run({"--resume", "--epochs", "2", "--output", output()});
  EXPECT_EQ(longer.status, 1);
  EXPECT_TRUE(contains(longer.text, "the schedule OneCycleLR of the run ends after epoch 1"));
}

TEST_F(Program, ReportsMissingFiles) {
  const Outcome data = run({"--data", output("/nowhere"), "--output", output()});
  EXPECT_EQ(data.status, 1);
  EXPECT_TRUE(contains(data.text, "cannot open the file"));
  const Outcome checkpoint = run({"--resume", "--output", output()});
  EXPECT_EQ(checkpoint.status, 1);
  EXPECT_TRUE(contains(checkpoint.text, "checkpoint.pt"));
}

}  // namespace
}  // namespace demo
