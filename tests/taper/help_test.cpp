// Help and usage errors of the program and of each of its commands.
#include <gtest/gtest.h>

#include <sstream>

#include "command.h"

namespace taper::cli::test {
namespace {

/// Returns the commands that the help of the program lists.
std::vector<std::string> listed_commands() {
  std::istringstream help(run({"--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Subcommands:") {}
  std::vector<std::string> commands;
  while (std::getline(help, line) && !line.empty()) {
    std::istringstream words(line);
    words >> commands.emplace_back();
  }
  return commands;
}

TEST(Help, ShowsExamplesForEveryCommand) {
  const auto commands = listed_commands();
  EXPECT_GE(commands.size(), 12u);
  for (const std::string& command : commands) {
    const Outcome o = run({command, "--help"});
    EXPECT_EQ(o.status, 0) << command;
    EXPECT_TRUE(contains(o.out, "Examples:\n  taper " + command)) << command;
    EXPECT_TRUE(contains(o.out, "--json")) << command;
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{command}, {command, "--no-such-option"}}) {
      const Outcome failed = run(wrong);
      EXPECT_EQ(failed.status, 2) << command;
      EXPECT_TRUE(contains(failed.err, "Run 'taper " + command + " --help' for usage.\n"))
          << failed.err;
    }
  }
}

TEST(Help, RejectsUnknownCommands) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"unknown"}).status, 2);
  EXPECT_EQ(run({"--version"}).status, 0);
}

}  // namespace
}  // namespace taper::cli::test
