// How --help looks.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace command {

/// An option with what stands for its value, and no more: ranges and conflicts are said when they
/// are violated.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(26); }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return option->get_required() ? "" : " (optional)";
    const std::string type = option->get_type_name();
    std::string text = option->get_type_size() == 0 ? "" : " " + type.substr(0, type.find(':'));
    if (option->get_required()) text += " (required)";
    return text;
  }
};

}  // namespace command
