// lenet_demo: trains LeNet on handwritten digits and shows the results.
#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "epochs.h"
#include "progress.h"
#include "report.h"
#include "taper/core/parallel.h"
#include "taper/io/save.h"
#include "taper/train/interrupt.h"
#include "training.h"

namespace demo {
namespace {

constexpr int kInterrupted = 130;

void describe(Training& training, const Digits& digits) {
  std::int64_t count = 0;
  for (const taper::Tensor& p : training.net().parameters()) count += p.numel();
  fmt::print("{}\n{} parameters, {} training images, {} test images\n\n", training.net().str(),
             with_commas(count), with_commas(Digits::kTrain), with_commas(digits.test_count()));
}

void report(Training& training, const Digits& digits) {
  const Evaluation evaluation =
      evaluate(training.predict(digits.test_images()), digits.test_labels());
  fmt::print("\nConfusion matrix of the {} test images:\n\n{}", digits.test_count(),
             confusion_text(evaluation.confusion));
  if (evaluation.mistakes.empty()) return;
  const std::size_t shown = std::min<std::size_t>(10, evaluation.mistakes.size());
  fmt::print("\nThe worst {} of {} mistakes (digit, prediction, probability):\n\n{}", shown,
             evaluation.mistakes.size(), mistakes_text(evaluation.mistakes, digits.small, shown));
}

int run(const CommandLine& options) {
  if (options.threads) taper::set_num_threads(*options.threads);
  const Digits digits = load_digits(options.data);
  const std::string checkpoint = options.output + "/checkpoint.pt",
                    weights = options.output + "/lenet.pt";
  std::filesystem::create_directories(options.output);
  Training training =
      options.resume ? Training(checkpoint, digits) : Training(options.settings, digits);
  if (options.resume && options.epochs) training.set_epochs(*options.epochs);

  describe(training, digits);
  fmt::print("{}", epoch_header(training.score()));
  for (std::size_t i = 0; i < training.history().size(); ++i)
    fmt::print("{}", epoch_line(training.score(), static_cast<std::int64_t>(i) + 1,
                                training.history()[i]));
  std::fflush(stdout);

  taper::train::ProgressBar progress = make_progress_bar();
  const taper::train::Interrupt interrupt;  // also while the run is saved
  const bool finished = training.run(
      [&](double) {
        progress.show(make_progress(training));
        return false;
      },
      [&](const EpochResult& result) {
        progress.clear();
        fmt::print("{}", epoch_line(training.score(), training.epoch(), result));
        std::fflush(stdout);
        training.save(checkpoint);
      });
  progress.clear();
  if (!finished) training.save(checkpoint);
  taper::save(training.net().state_dict(), weights);
  if (!finished) {
    fmt::print(
        "\nStopped in epoch {} after batch {} of {}. The run is saved in {}; continue with "
        "--resume.\n",
        training.epoch() + 1, training.batch(), training.batches_per_epoch(), checkpoint);
    return kInterrupted;
  }
  report(training, digits);
  fmt::print("The weights are saved in {}, the run in {}.\n", weights, checkpoint);
  return 0;
}

}  // namespace
}  // namespace demo

int main(int argc, char** argv) {
  int status = 0;
  const auto options = demo::parse_command_line(argc, argv, status);
  if (!options) return status;
  try {
    return demo::run(*options);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "lenet_demo: {}\n", error.what());
    return 1;
  }
}
