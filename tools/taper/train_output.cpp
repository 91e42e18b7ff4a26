#include "train_output.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "epochs.h"
#include "taper/core/error.h"
#include "text_file.h"
#include "words.h"

namespace taper::cli {

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw taper::IoError(printable(path) + ": " + error.message());
}

void write_log(const std::string& path, const training::Run& run) {
  write_text(path, training::to_csv(run.score(), run.history()), "log");
}

void write_classes(const std::string& path, const std::vector<std::string>& classes) {
  std::string lines;
  for (const std::string& name : classes) lines += name + '\n';
  write_text(path, lines, "class names");
}

std::string weights_name(const std::string& model) {
  std::string name = std::filesystem::path(model.substr(0, model.find('('))).stem().string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name + ".pt";
}

Json json_of_run(const training::Run& run, const training::ExampleSet& set, bool finished,
                 const std::string& weights, const std::string& checkpoint,
                 const std::string& log) {
  const std::string score(training::name_of(run.score()));
  Json history = Json::array();
  for (std::size_t i = 0; i < run.history().size(); ++i) {
    const training::EpochResult& r = run.history()[i];
    history.push_back({{"epoch", i + 1},
                       {"train_loss", json_of(r.train_loss)},
                       {"train_" + score, json_of(r.train_score)},
                       {"test_loss", json_of(r.test_loss)},
                       {"test_" + score, json_of(r.test_score)},
                       {"seconds", r.seconds}});
  }
  return {{"finished", finished},
          {"train_images", run.examples().train_count()},
          {"test_images", run.examples().test_count()},
          {"classes", set.classes},
          {"history", history},
          {"weights", weights},
          {"checkpoint", checkpoint},
          {"log", log}};
}

void describe(Out& out, training::Run& run, const training::ExampleSet& set) {
  std::uint64_t parameters = 0;
  for (const taper::Tensor& p : run.module().parameters())
    parameters += static_cast<std::uint64_t>(p.numel());
  const bool is_regression = run.score() == training::Score::r2;
  out.print("{}\n{}, {}{} ({}), {} test {}\n\n", run.module().str(),
            format_count(parameters, "parameter"),
            format_count(static_cast<std::uint64_t>(run.examples().train_count()),
                         is_regression ? "training row" : "training image"),
            is_regression ? "" : fmt::format(" in {} classes", set.classes.size()), set.about,
            with_commas(static_cast<std::uint64_t>(run.examples().test_count())),
            is_regression ? "rows" : "images");
  out.write(training::epoch_header(run.score()));
  for (std::size_t i = 0; i < run.history().size(); ++i)
    out.write(
        training::epoch_line(run.score(), static_cast<std::int64_t>(i) + 1, run.history()[i]));
  out.flush();
}

void save_after_error(Out& out, training::Run& run, const std::string& checkpoint,
                      const taper::Value& about, bool as_json) {
  try {
    run.save(checkpoint, about);
  } catch (const std::exception& error) {
    fmt::print(stderr, "taper: the run could not be saved: {}\n", printable(error.what()));
    return;
  }
  if (as_json) return;
  try {
    out.print(
        "\nFailed in epoch {} after batch {} of {}. The run is saved in {}; continue with "
        "--resume.\n",
        run.epoch() + 1, run.batch(), run.batches_per_epoch(), checkpoint);
    out.flush();
  } catch (const std::exception&) {
    // Standard output may be the cause of the error, which is reported on standard error.
  }
}

}  // namespace taper::cli
