// Runs programs as a user does: with redirected output or on a terminal.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taper::test {

struct ProgramResult {
  int status = -1;  ///< exit status; -1 if a signal ended the program
  std::string out, err;
};

/// Environment variables to set, or to remove if they have no value.
using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Runs the program `arguments[0]` without a terminal and returns its output.
ProgramResult run_program(std::vector<std::string> arguments, const Environment& changes = {});

/// Runs the program `arguments[0]` on a terminal of 100 columns and 40 rows; `out` of the result
/// contains both streams. Types `keys` as soon as `trigger` has appeared in the output.
ProgramResult run_on_terminal(std::vector<std::string> arguments, const std::string& trigger = "",
                              const std::string& keys = "", const Environment& changes = {});

}  // namespace taper::test
