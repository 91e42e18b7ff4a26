// Command-line options of the demo.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "run_settings.h"

namespace demo {

using namespace training;

struct CommandLine {
  Settings settings{};
  std::optional<std::int64_t> epochs{};  ///< if given, also the new number of a resumed run
  std::optional<int> threads{};
  std::string data, output = "out";
  bool resume = false;
};

/// Parses the command line. For an invalid one (or --help), prints a message and returns nullopt
/// with the exit status in `status`.
std::optional<CommandLine> parse_command_line(int argc, const char* const* argv, int& status);

}  // namespace demo
