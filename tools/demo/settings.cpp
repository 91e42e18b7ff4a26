#include "settings.h"

#include <CLI/CLI.hpp>

#include "schedule.h"
#include "taper/optim/make.h"
#include "taper_paths.h"

namespace demo {

std::optional<CommandLine> parse_command_line(int argc, const char* const* argv, int& status) {
  CommandLine options;
  options.data = TAPER_DATA "/digits";
  Settings& s = options.settings;
  CLI::App app("Trains LeNet on handwritten digits", "lenet_demo");
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{1} << 31);
  auto* resume = app.add_flag("--resume", options.resume, "resume the run in the output directory");
  const auto names = taper::optim::optimizer_names();
  app.add_option("--optimizer", s.optimizer, "optimizer; Muon is combined with AdamW")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->capture_default_str()
      ->excludes(resume);
  app.add_option("--schedule", s.schedule, "learning rate scheduler (none)")
      ->check(CLI::IsMember(schedule_names()))
      ->excludes(resume);
  app.add_option("--lr", s.lr, "learning rate (0.05 of SGD, otherwise that of the optimizer)")
      ->check(CLI::NonNegativeNumber)
      ->excludes(resume);
  app.add_option("--momentum", s.momentum, "momentum (0.9 of SGD, otherwise that of the optimizer)")
      ->check(CLI::NonNegativeNumber)
      ->excludes(resume);
  app.add_option("--weight-decay", s.weight_decay,
                 "weight decay (0.0005 of SGD, otherwise that of the optimizer)")
      ->check(CLI::NonNegativeNumber)
      ->excludes(resume);
  app.add_option("--batch", s.batch, "images per batch")
      ->check(positive)
      ->capture_default_str()
      ->excludes(resume);
  app.add_option("--seed", s.seed, "seed of the weights and of the order")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->excludes(resume);
  app.add_option("--epochs", options.epochs, "number of epochs (20)")->check(positive);
  app.add_option("--threads", options.threads, "threads to use (all)")->check(CLI::Range(1, 4096));
  app.add_option("--data", options.data, "directory of the digits")->capture_default_str();
  app.add_option("--output", options.output, "directory of lenet.pt and checkpoint.pt")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (options.epochs) s.epochs = *options.epochs;
  return options;
}

}  // namespace demo
