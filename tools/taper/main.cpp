// taper: command-line tool for checkpoints and image classifiers.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "help.h"
#include "json.h"
#include "options.h"
#include "suggestion.h"
#include "taper/io/load_error.h"
#include "taper/version.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

constexpr int kFailed = 1, kUsageError = 2;

int report_error(Out& out, const Common& common, const std::string& what, int status) {
  try {
    if (common.json) print_json(out, {{"error", what}});
    out.flush();
  } catch (const std::exception&) {
    // Standard output may be what failed. The error is still written to standard error below.
  }
  fmt::print(stderr, "taper: {}\n", what);
  return status;
}

std::string unknown_command_text(const CLI::App& app, const std::string& given) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return fmt::format("unknown command '{}': expected one of {}{}", given, fmt::join(names, ", "),
                     suggestion(given, names));
}

/// Describes the arguments that a command does not have: the first unknown option, with the one
/// that may be meant, or else the superfluous arguments in their order.
std::string unexpected_text(const CLI::App& command) {
  std::vector<std::string> arguments = command.remaining();
  for (const std::string& argument : arguments)
    if (argument.size() > 1 && argument[0] == '-') return unknown_option_text(command, argument);
  for (std::string& argument : arguments) argument = "'" + argument + "'";
  return fmt::format("unexpected argument{} {}", arguments.size() > 1 ? "s" : "",
                     fmt::join(arguments, " "));
}

/// Reports an invalid command line of a command, or of the program if `name` is empty.
int report_usage_error(Out& out, const Common& common, const std::string& name,
                       const std::string& message) {
  const int status =
      report_error(out, common, (name.empty() ? "" : name + ": ") + message, kUsageError);
  fmt::print(stderr, "Run 'taper{} --help' for usage.\n", name.empty() ? "" : " " + name);
  return status;
}

/// Reports an invalid command line and returns the exit status.
int report_usage_error(const CLI::App& app, Common& common, const CLI::ParseError& error,
                       const std::vector<std::string>& args) {
  common.json = std::find(args.begin(), args.end(), "--json") != args.end();
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "" : command.get_name();
  Out out(Out::Decoration::never);
  // A misspelled option may be the reason why a required one is absent.
  const bool has_unexpected = command.remaining_size() > 0 && !command.get_prefix_command();
  std::string message = error.what();
  if (chosen.empty() && !args[0].starts_with('-'))
    message = unknown_command_text(app, args[0]);
  else if (has_unexpected && (dynamic_cast<const CLI::ExtrasError*>(&error) ||
                              dynamic_cast<const CLI::RequiredError*>(&error)))
    message = unexpected_text(command);
  else if (app.remaining_size() > 0)
    message = unexpected_text(app);
  return report_usage_error(out, common, name, printable(message));
}

/// Removes the `--` between the options of a command and the program that it starts, which the
/// parser would take for the end of the command.
void remove_separator(const CLI::App& app, std::vector<std::string>& args) {
  const auto commands = app.get_subcommands([&](const CLI::App* command) {
    return !args.empty() && command->get_name() == args[0] && command->get_prefix_command();
  });
  if (commands.empty()) return;
  for (std::size_t i = 1; i < args.size() && args[i].starts_with('-'); ++i) {
    if (args[i] == "--") {
      args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    const CLI::Option* const option = commands[0]->get_option_no_throw(args[i]);
    if (option && option->get_items_expected_min() > 0) ++i;  // its value follows
  }
}

int run(int argc, char** argv) {
  // These signals are ignored, so that writes to a closed pipe or beyond the file size limit return
  // an error.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Common common;
  CLI::App app(
      "Shows, compares, converts and checks checkpoints of PyTorch, safetensors and NumPy,\n"
      "and trains networks. Code in a file is never executed.",
      "taper");
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", std::string("taper ") + taper::version(),
                       "print the version and exit");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "Run 'taper COMMAND --help' for options and examples. Exit status: 0 for success, 1 for a\n"
      "difference or a failure, 2 for a usage error.\n");
  Commands commands{app, common};
  add_show(commands);
  add_diff(commands);
  add_check(commands);
  add_convert(commands);
  add_merge(commands);
  add_split(commands);
  add_summary(commands);
  add_train(commands);
  add_predict(commands);
  add_report(commands);
  add_run(commands);
  add_plan_dist(commands);
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return kUsageError;
  }
  std::vector<std::string> args(argv + 1, argv + argc);
  remove_separator(app, args);
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help or --version
    return report_usage_error(app, common, error, args);
  }

  Out out(common.decoration);
  try {
    const int status = commands.chosen(out);
    out.flush();
    return status;
  } catch (const UsageError& error) {
    return report_usage_error(out, common, commands.chosen_name, error.what());
  } catch (const std::bad_alloc&) {
    return report_error(out, common, commands.chosen_name + ": out of memory", kFailed);
  } catch (const taper::LoadError& error) {
    // what() also contains the name of the C++ function, which is not useful on the command line.
    const std::string path = error.path().empty() ? "''" : printable(error.path());
    return report_error(out, common, path + ": " + error.reason(), kFailed);
  } catch (const std::exception& error) { return report_error(out, common, error.what(), kFailed); }
}

}  // namespace
}  // namespace taper::cli

int main(int argc, char** argv) { return taper::cli::run(argc, argv); }
