// taper: shows, compares, converts and checks checkpoints; trains and asks networks.
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <memory>
#include <new>

#include "help.h"
#include "json.h"
#include "misuse.h"
#include "options.h"
#include "taper/version.h"

namespace command {
namespace {

constexpr int kFailed = 1, kMisused = 2;

int failed(Out& out, const Common& common, const std::string& what, int status) {
  try {
    if (common.json) print_json(out, {{"error", what}});
    out.flush();
  } catch (const std::exception&) {
    // The same reason, or a full disk: there is nothing more to say it to than below.
  }
  fmt::print(stderr, "taper: {}\n", what);
  return status;
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  Common common;
  CLI::App app(
      "Shows, compares, converts and checks checkpoints of PyTorch, safetensors and NumPy,\n"
      "and trains networks. Nothing in a file is ever executed.",
      "taper");
  app.set_version_flag("--version", std::string("taper ") + taper::version());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "taper COMMAND --help says more, with examples. Exit status: 0 good, 1 a difference or a\n"
      "failure was found, 2 the command line is wrong.\n");
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : kMisused; }

  Out out(common.pictures);
  try {
    const int status = commands.chosen(out);
    out.flush();
    return status;
  } catch (const Misuse& error) {
    return failed(out, common, commands.chosen_name + ": " + error.what(), kMisused);
  } catch (const std::bad_alloc&) {
    return failed(out, common, commands.chosen_name + ": there is not enough memory", kFailed);
  } catch (const std::exception& error) { return failed(out, common, error.what(), kFailed); }
}

}  // namespace
}  // namespace command

int main(int argc, char** argv) { return command::run(argc, argv); }
