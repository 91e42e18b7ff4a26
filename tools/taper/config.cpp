#include "config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "models.h"
#include "suggestion.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

// Options of a call, not of what it does.
constexpr const char* kOfCall[] = {"--config", "--help", "--json", "--color", "--resume", "--out"};

template <std::size_t N> bool is_one_of(const CLI::Option& option, const char* const (&names)[N]) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* name) { return option.check_name(name); });
}

bool is_configurable(const CLI::Option& option) { return !is_one_of(option, kOfCall); }

// Options that say how far or how fast a run continues, or what it reports, but not its results.
constexpr const char* kOfContinuation[] = {"--epochs",           "--workers", "--threads",
                                           "--checkpoint-every", "--profile", "--log"};
// Those of them that are not repeated when the run continues: the checkpoint has its own number of
// epochs, which may have been changed.
constexpr const char* kNotRepeated[] = {"--epochs", "--profile"};

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

/// Returns the option of an item. Throws ValidationError, which names `through`, if there is none.
CLI::Option& option_of(CLI::App& sub, const CLI::ConfigItem& item, const std::string& path,
                       const char* through) {
  if (CLI::Option* const option = item.parents.empty() ? find_option(sub, item.name) : nullptr)
    return *option;
  std::vector<std::string> names;
  for (const CLI::Option* const option : sub.get_options())
    if (is_configurable(*option)) names.push_back(option->get_single_name());
  throw CLI::ValidationError(
      through, fmt::format("{}: unknown option '{}'{}", printable(path), printable(item.fullname()),
                           suggestion(item.fullname(), names)));
}

void apply_file(CLI::App& sub, const std::string& path) {
  for (const CLI::ConfigItem& item : read_items(path)) {
    CLI::Option& option = option_of(sub, item, path, "--config");
    if (option.count() > 0) continue;  // given on the command line
    for (const std::string& value : item.inputs) option.add_result(value);
  }
}

std::string joined(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string display_name(const CLI::Option& option) {
  return (option.get_positional() ? "" : "--") + option.get_single_name();
}

bool is_same_list(const CLI::Option& option, const std::vector<std::string>& was,
                  const std::vector<std::string>& now) {
  return std::equal(was.begin(), was.end(), now.begin(), now.end(),
                    [&](const std::string& a, const std::string& b) {
                      return is_same_value(option.get_single_name(), a, b);
                    });
}

/// Applies the options of a run that are not given, and compares the others.
void apply_run(CLI::App& sub, const std::string& path) {
  const auto reject = [&](const CLI::Option& option, const std::string& was) {
    const std::string name = display_name(option), now = joined(option.results());
    const std::string text = was.empty() ? fmt::format("without {}, not with '{}'", name, now)
                                         : fmt::format("with {} '{}', not '{}'", name, was, now);
    throw CLI::ValidationError("--resume", printable(path + " was created " + text, 1000));
  };
  std::vector<const CLI::Option*> stored;
  for (const CLI::ConfigItem& item : read_items(path)) {
    CLI::Option& option = option_of(sub, item, path, "--resume");
    stored.push_back(&option);
    if (option.count() == 0) {
      if (is_one_of(option, kNotRepeated)) continue;
      for (const std::string& value : item.inputs) option.add_result(value);
    } else if (!is_one_of(option, kOfContinuation) &&
               !is_same_list(option, item.inputs, option.results())) {
      reject(option, joined(item.inputs));
    }
  }
  for (const CLI::Option* const option : sub.get_options()) {
    if (option->count() == 0 || !is_configurable(*option) || is_one_of(*option, kOfContinuation) ||
        std::find(stored.begin(), stored.end(), option) != stored.end())
      continue;
    const std::string fallback = option->get_default_str();
    if (!is_same_list(*option, {fallback}, option->results())) reject(*option, fallback);
  }
}

/// Returns the value if the text is a finite number.
std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return {};
  return value;
}

/// Returns a number in the syntax of TOML, which is narrower than that of the command line.
std::string toml_number(const std::string& text) {
  const std::size_t begin = text.starts_with('-') ? 1 : 0;
  const bool is_decimal = text.find_first_not_of("0123456789", begin) == std::string::npos;
  if (is_decimal && (text.size() == begin + 1 || text.find_first_not_of('0', begin) == begin))
    return text;
  return fmt::format("{}", *number_of(text));
}

/// Returns true for the placeholders of numbers in the help: "N", "X", "X,...".
bool is_numeric(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::string placeholder = type.substr(0, type.find(':'));
  return placeholder == "N" || placeholder == "X" || placeholder == "X,...";
}

std::string toml_value(const CLI::Option& option, const std::string& text) {
  if (option.get_items_expected_max() == 0) return text;  // true of a flag
  if (is_numeric(option) && number_of(text)) return toml_number(text);
  const bool needs_escapes = text.find_first_of("\"\\") != std::string::npos;
  return needs_escapes ? "'" + text + "'" : '"' + text + '"';
}

}  // namespace

void add_config_option(CLI::App& sub) {
  sub.add_option_function<std::string>(
         "--config", [&sub](const std::string& path) { apply_file(sub, path); },
         "file with options in TOML, such as config.toml of a run")
      ->type_name("FILE.toml");
}

CLI::Option* add_resume_option(CLI::App& sub, bool& resume, const std::string& output) {
  return sub.add_flag_function(
      "--resume",
      [&sub, &resume, output](std::int64_t) {
        resume = true;
        const CLI::Option* const out = sub.get_option("--out");
        const std::string folder = out->count() > 0 ? out->results().back() : output;
        if (const std::string path = folder + "/config.toml"; std::filesystem::exists(path))
          apply_run(sub, path);
      },
      "continue the run in the output directory, with its options");
}

std::vector<std::pair<std::string, std::string>> read_config(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const CLI::ConfigItem& item : read_items(path))
    options.emplace_back(item.fullname(), joined(item.inputs));
  return options;
}

std::string config_of(const CLI::App& sub) {
  std::string text;
  for (const CLI::Option* const option : sub.get_options()) {
    if (option->count() == 0 || !is_configurable(*option)) continue;
    const CLI::results_t& values = option->results();
    std::string list;
    for (const std::string& value : values)
      list += (list.empty() ? "" : ", ") + toml_value(*option, value);
    text +=
        option->get_single_name() + " = " +
        (values.size() == 1 && option->get_items_expected_max() <= 1 ? list : "[" + list + "]") +
        "\n";
  }
  return text;
}

bool is_same_value(const std::string& option, const std::string& was, const std::string& now) {
  if (was == now) return true;
  if (const auto a = number_of(was), b = number_of(now); a && b) return *a == *b;
  std::error_code error;
  if (option == "data" || option == "plugin" || option == "model") {
    if (std::filesystem::exists(now, error) && !std::filesystem::exists(was, error))
      return option != "model";
    if (std::filesystem::equivalent(was, now, error)) return true;
  }
  if (option == "model") {
    const auto plain = [](const std::string& text) {
      std::string letters;
      for (const char c : text)
        if (c != ' ') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return letters;
    };
    return plain(was) == plain(now);
  }
  if (option == "input") {
    try {
      return parse_shape(was) == parse_shape(now);
    } catch (const UsageError&) {}
  }
  return false;
}

}  // namespace taper::cli
