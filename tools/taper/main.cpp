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

/// Reports an invalid command line and returns the exit status.
int report_usage_error(const CLI::App& app, Common& common, const std::string& what,
                       const std::vector<std::string>& args) {
  common.json = std::find(args.begin(), args.end(), "--json") != args.end();
  const auto chosen = app.get_subcommands();
  const std::string name = chosen.empty() ? "" : chosen.front()->get_name();
  Out out(Out::Decoration::never);
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + command->get_name();
  const bool unknown = chosen.empty() && !args[0].starts_with('-');
  const std::string message =
      unknown ? "unknown command '" + args[0] + "': expected one of " + names : what;
  const int status = report_error(
      out, common, (name.empty() ? "" : name + ": ") + printable(message), kUsageError);
  fmt::print(stderr, "Run 'taper{} --help' for usage.\n", name.empty() ? "" : " " + name);
  return status;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help or --version
    return report_usage_error(app, common, error.what(), {argv + 1, argv + argc});
  }

  Out out(common.decoration);
  try {
    const int status = commands.chosen(out);
    out.flush();
    return status;
  } catch (const UsageError& error) {
    return report_error(out, common, commands.chosen_name + ": " + error.what(), kUsageError);
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
