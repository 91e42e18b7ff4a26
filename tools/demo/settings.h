// What the demo was told.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "run_settings.h"

namespace demo {

using namespace training;

struct CommandLine {
  Settings settings{};
  std::optional<std::int64_t> epochs{};  ///< as given: a resumed run may go on for longer
  std::optional<int> threads{};
  std::string data, output = "out";
  bool resume = false;
};

/// Reads the command line; on a wrong one (or --help) prints and gives the exit status in `status`.
std::optional<CommandLine> parse(int argc, const char* const* argv, int& status);

}  // namespace demo
