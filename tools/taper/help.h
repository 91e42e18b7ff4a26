// HelpFormatter: layout of the --help output.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "characters.h"

namespace taper::cli {

/// Prints each option with a placeholder for its value, wrapped at 80 columns. Ranges and conflicts
/// are omitted, because they are reported when they are violated.
class HelpFormatter : public CLI::Formatter {
 public:
  static constexpr std::size_t kNames = 26, kLine = 80;

  HelpFormatter() { column_width(kNames); }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = CLI::Formatter::make_usage(app, name);
    // The parser does not list what it passes on.
    if (app->get_prefix_command()) text.insert(text.find('\n'), " [--] PROGRAM [ARGUMENTS...]");
    return text;
  }
  /// A type name of several words lists the arguments that an option takes together: "IN... OUT".
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return type.find(' ') == std::string::npos ? CLI::Formatter::make_option_usage(option) : type;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return option->get_required() ? "" : " (optional)";
    const std::string type = option->get_type_name();
    std::string text = option->get_type_size() == 0 ? "" : " " + type.substr(0, type.find(':'));
    if (option->get_required()) text += " (required)";
    return text;
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const bool fits = name.size() + 2 <= kNames;
    name += fits ? std::string(kNames - name.size(), ' ') : "\n" + std::string(kNames, ' ');
    return name + wrapped(make_option_desc(option), kLine, kNames) + "\n";
  }
};

}  // namespace taper::cli
