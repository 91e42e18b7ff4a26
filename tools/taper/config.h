// Configuration files: options of a command in TOML.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace taper::cli {

/// Adds the option --config, a file with options as `name = value`. Options of the command line
/// precede those of the file. Must be called before the options are added that a file may contain.
void add_config_option(CLI::App& sub);

/// Returns the options in a configuration file by name; those of a list are separated by commas.
std::vector<std::pair<std::string, std::string>> read_config(const std::string& path);

/// Returns the options that were given, in the form of a configuration file.
std::string config_of(const CLI::App& sub);

}  // namespace taper::cli
