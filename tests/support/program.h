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

/// Variables to set, or to remove if they have no value.
using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Runs `arguments[0]` without a terminal.
ProgramResult run_program(std::vector<std::string> arguments, const Environment& changes = {});

/// Runs `arguments[0]` on a terminal of 100 columns and 40 rows; `out` receives both streams. Types
/// `keys` as soon as `trigger` has appeared.
ProgramResult run_on_terminal(std::vector<std::string> arguments, const std::string& trigger = "",
                              const std::string& keys = "", const Environment& changes = {});

}  // namespace taper::test
