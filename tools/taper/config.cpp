#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "words.h"

namespace taper::cli {
namespace {

// Options of a call, not of what it does.
constexpr const char* kOfCall[] = {"--config", "--help", "--json", "--color", "--resume", "--out"};

bool is_configurable(const CLI::Option& option) {
  return std::none_of(std::begin(kOfCall), std::end(kOfCall),
                      [&](const char* name) { return option.check_name(name); });
}

CLI::Option* find_option(CLI::App& sub, const std::string& name) {
  for (CLI::Option* const option : sub.get_options())
    if (option->get_single_name() == name && is_configurable(*option)) return option;
  return nullptr;
}

std::vector<CLI::ConfigItem> read_items(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw CLI::ValidationError("--config", printable(path) + ": cannot be read");
  try {
    return CLI::ConfigTOML().from_config(in);
  } catch (const CLI::Error& error) {
    throw CLI::ValidationError("--config", printable(path) + ": " + error.what());
  }
}

void apply_file(CLI::App& sub, const std::string& path) {
  for (const CLI::ConfigItem& item : read_items(path)) {
    CLI::Option* const option = item.parents.empty() ? find_option(sub, item.name) : nullptr;
    if (!option)
      throw CLI::ValidationError(
          "--config", fmt::format("{}: unknown option '{}'", printable(path), item.fullname()));
    if (option->count() > 0) continue;  // given on the command line
    for (const std::string& value : item.inputs) option->add_result(value);
  }
}

std::string quoted(const std::string& text) {
  const bool has_quote = text.find('"') != std::string::npos;
  return has_quote ? "'" + text + "'" : '"' + text + '"';
}

}  // namespace

void add_config_option(CLI::App& sub) {
  sub.add_option_function<std::string>(
         "--config", [&sub](const std::string& path) { apply_file(sub, path); },
         "file with options in TOML, such as config.toml of a run")
      ->type_name("FILE.toml");
}

std::vector<std::pair<std::string, std::string>> read_config(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const CLI::ConfigItem& item : read_items(path))
    options.emplace_back(item.fullname(), fmt::format("{}", fmt::join(item.inputs, ", ")));
  return options;
}

std::string config_of(const CLI::App& sub) {
  std::string text;
  for (const CLI::Option* const option : sub.get_options()) {
    if (option->count() == 0 || !is_configurable(*option)) continue;
    const CLI::results_t& values = option->results();
    std::string list;
    for (const std::string& value : values) list += (list.empty() ? "" : ", ") + quoted(value);
    text +=
        option->get_single_name() + " = " +
        (values.size() == 1 && option->get_items_expected_max() == 1 ? list : "[" + list + "]") +
        "\n";
  }
  return text;
}

}  // namespace taper::cli
