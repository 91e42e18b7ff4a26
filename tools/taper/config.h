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

/// Adds the flag --resume, which reads the options of the run from config.toml in the directory
/// `output`, the value of --out. An option of the command line that contradicts one of the file, or
/// is absent there and differs from its default string, is an error, unless it changes how far or
/// how fast the run continues. Must be called before the options are added that the file contains.
CLI::Option* add_resume_option(CLI::App& sub, bool& resume, const std::string& output);

/// Returns the options in a configuration file by name; those of a list are separated by commas.
std::vector<std::pair<std::string, std::string>> read_config(const std::string& path);

/// Returns the options that were given, in the form of a configuration file.
std::string config_of(const CLI::App& sub);

/// Returns true if two values of an option are the same: equal texts, numbers or shapes, names of
/// models up to case and spaces, or paths of the same file. `was` is the older value; a file that
/// no longer exists has been moved.
bool is_same_value(const std::string& option, const std::string& was, const std::string& now);

}  // namespace taper::cli
