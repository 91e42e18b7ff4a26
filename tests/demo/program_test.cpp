// The program as a user meets it: off a terminal, on one, interrupted there, resumed.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "taper/core/factory.h"
#include "taper/io/load.h"
#include "taper_paths.h"

namespace demo {
namespace {

const char* const kProgram = TAPER_BIN_DIR "/lenet_demo";

struct Outcome {
  int status = -1;
  std::string text;
};

[[noreturn]] void become_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kProgram);
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  execv(kProgram, argv.data());
  _exit(127);
}

/// Reads all the program says; `at_first` is called once after `trigger` was seen.
template <class F> Outcome listen(int from, pid_t child, const std::string& trigger, F&& at_first) {
  Outcome outcome;
  char piece[4096];
  bool seen = trigger.empty();
  for (ssize_t n; (n = read(from, piece, sizeof piece)) > 0;) {
    outcome.text.append(piece, static_cast<std::size_t>(n));
    if (!seen && outcome.text.find(trigger) != std::string::npos) {
      seen = true;
      at_first();
    }
  }
  close(from);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome run_piped(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    become_program(arguments);
  }
  close(ends[1]);
  return listen(ends[0], child, "", [] {});
}

/// On a terminal of 100 columns; `keys` are typed as soon as `trigger` appears.
Outcome run_on_terminal(const std::vector<std::string>& arguments, const std::string& trigger,
                        const std::string& keys) {
  winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become_program(arguments);
  return listen(terminal, child, trigger, [&] {
    if (write(terminal, keys.data(), keys.size()) < 0) ADD_FAILURE() << "cannot type";
  });
}

class Program : public testing::Test {
 protected:
  Program()
      : folder_(testing::TempDir() + "taper_demo_" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~Program() override { std::filesystem::remove_all(folder_); }
  std::string output(const std::string& name = "") const { return folder_ + name; }
  std::string folder_;
};

TEST_F(Program, IsQuietOffATerminal) {
  const Outcome o = run_piped({"--epochs", "1", "--threads", "1", "--output", output()});
  EXPECT_EQ(o.status, 0) << o.text;
  EXPECT_EQ(o.text.find('\r'), std::string::npos);
  EXPECT_NE(o.text.find("LeNet(\n  (conv1): Conv2d(1, 20, kernel_size=(5, 5), stride=(1, 1))"),
            std::string::npos)
      << o.text;
  for (const char* part : {"431,080 parameters", "epoch  train loss", "\n    1  ", "read as",
                           "mistakes (digit, what it was read as, how surely)", "██"})
    EXPECT_NE(o.text.find(part), std::string::npos) << part << "\n" << o.text;
  EXPECT_TRUE(std::filesystem::exists(output("/checkpoint.pt")));
  const taper::Value weights = taper::load(output("/lenet.pt"));
  EXPECT_EQ(weights.size(), 8u);
  EXPECT_EQ(weights["fc1.weight"].as_tensor().shape(), taper::Shape({500, 800}));
}

TEST_F(Program, StopsOnCtrlCAndResumesToTheSameBits) {
  const std::string whole = output("/whole"), part = output("/part");
  ASSERT_EQ(run_piped({"--epochs", "3", "--seed", "2", "--output", whole}).status, 0);
  const Outcome stopped =
      run_on_terminal({"--epochs", "3", "--seed", "2", "--output", part}, "samples/s", "\x03");
  EXPECT_EQ(stopped.status, 130) << stopped.text;
  EXPECT_NE(stopped.text.find("go on with --resume"), std::string::npos) << stopped.text;
  EXPECT_TRUE(std::filesystem::exists(part + "/lenet.pt"));
  const Outcome resumed = run_piped({"--resume", "--output", part});
  EXPECT_EQ(resumed.status, 0) << resumed.text;
  const taper::Value a = taper::load(whole + "/lenet.pt"), b = taper::load(part + "/lenet.pt");
  for (const auto& [name, value] : a.as_dict())
    EXPECT_TRUE(taper::equal(value.as_tensor(), b[name].as_tensor())) << name.str();
}

TEST_F(Program, RefusesWrongOptions) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--no-such-option"},       {"--lr", "fast"},  {"--lr", "-1"},
      {"--epochs", "0"},          {"--batch", "-3"}, {"--threads", "0"},
      {"--resume", "--lr", "0.1"}};
  for (const auto& arguments : wrong) {
    const Outcome o = run_piped(arguments);
    EXPECT_EQ(o.status, 2) << arguments[0] << "\n" << o.text;
    EXPECT_FALSE(o.text.empty());
  }
  EXPECT_EQ(run_piped({"--help"}).status, 0);
}

TEST_F(Program, SaysWhatIsMissing) {
  const Outcome data = run_piped({"--data", output("/nowhere"), "--output", output()});
  EXPECT_EQ(data.status, 1);
  EXPECT_NE(data.text.find("cannot open the file"), std::string::npos) << data.text;
  const Outcome checkpoint = run_piped({"--resume", "--output", output()});
  EXPECT_EQ(checkpoint.status, 1);
  EXPECT_NE(checkpoint.text.find("checkpoint.pt"), std::string::npos) << checkpoint.text;
}

}  // namespace
}  // namespace demo
