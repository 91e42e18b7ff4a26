// Declaration of subcommands and their options.
#pragma once
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "out.h"
#include "words.h"

namespace taper::cli {

/// Options shared by all subcommands.
struct Common {
  bool json = false;
  Out::Decoration decoration = Out::Decoration::automatic;
};

/// Returns a validator for finite numbers >= 0.
inline CLI::Validator non_negative_number() {
  return {
      [](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool is_valid = !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
        return is_valid ? std::string() : "expected a number >= 0, got '" + printable(text) + "'";
      },
      "NUMBER"};
}
/// Returns a validator for finite numbers > 0.
inline CLI::Validator positive_number() {
  return {[](std::string& text) {
            const std::string message = non_negative_number()(text);
            const bool is_valid = message.empty() && std::strtod(text.c_str(), nullptr) > 0;
            return is_valid ? std::string()
                            : "expected a number > 0, got '" + printable(text) + "'";
          },
          "NUMBER"};
}
/// Returns a validator for integers in [min, max].
inline CLI::Validator integer_in_range(std::int64_t min, std::int64_t max) {
  return {[=](std::string& text) {
            std::int64_t value = 0;
            const char* const last = text.data() + text.size();
            const auto [end, error] = std::from_chars(text.data(), last, value);
            const bool is_valid =
                error == std::errc() && end == last && value >= min && value <= max;
            return is_valid ? std::string()
                            : "expected an integer from " + std::to_string(min) + " to " +
                                  std::to_string(max) + ", got '" + printable(text) + "'";
          },
          "WHOLE"};
}
/// Returns a validator for a maximum number of lines, where 0 means all.
inline CLI::Validator line_count() { return integer_in_range(0, 1'000'000'000); }

/// Implementation of a subcommand, called after parsing. Returns the exit status.
using Action = std::function<int(Out&)>;

/// Registers subcommands and stores the action of the selected one.
struct Commands {
  CLI::App& app;
  Common& common;
  Action chosen{};
  std::string chosen_name{};

  /// Adds a subcommand with the common options. `what`: its description in one line. `examples`:
  /// lines that are printed below its help.
  CLI::App& add(const std::string& name, const std::string& what, const std::string& examples) {
    CLI::App& sub = *app.add_subcommand(name, what);
    sub.set_help_flag("-h,--help", "print this help and exit");
    sub.footer("Examples:\n" + examples + "\n");
    sub.add_flag("--json", common.json, "print the result as JSON");
    sub.add_option_function<std::string>(
           "--color",
           [&common = common](const std::string& mode) {
             if (mode != "auto" && mode != "always" && mode != "never")
               throw CLI::ValidationError("--color", "expected auto, always or never, got " + mode);
             common.decoration = mode == "always"  ? Out::Decoration::always
                                 : mode == "never" ? Out::Decoration::never
                                                   : Out::Decoration::automatic;
           },
           "print colors and bars: auto (on a terminal), always or never")
        ->type_name("WHEN");
    return sub;
  }
  /// Sets the action of a subcommand.
  void set_action(CLI::App& sub, Action action) {
    sub.callback([this, action = std::move(action), name = sub.get_name()] {
      chosen = action;
      chosen_name = name;
    });
  }
};

// Each subcommand is defined in a separate file.
void add_show(Commands& commands);
void add_diff(Commands& commands);
void add_summary(Commands& commands);
void add_train(Commands& commands);
void add_predict(Commands& commands);
void add_report(Commands& commands);
void add_check(Commands& commands);
void add_convert(Commands& commands);
void add_merge(Commands& commands);
void add_split(Commands& commands);
void add_run(Commands& commands);
void add_plan_dist(Commands& commands);

}  // namespace taper::cli
