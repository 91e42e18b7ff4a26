// Suggestions for misspelled options and commands.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace taper::cli {

/// Returns ": did you mean '--epochs'?" for the name that resembles `given` the most, or begins
/// with it as the only one. Empty if there is none.
std::string suggestion(const std::string& given, const std::vector<std::string>& names);

/// Returns "unknown option '--epoch': did you mean '--epochs'?" for the argument `--epoch=3`.
std::string unknown_option_text(const CLI::App& command, const std::string& argument);

}  // namespace taper::cli
