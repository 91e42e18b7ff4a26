// taper train: trains a network on images or on a table.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "augment.h"
#include "config.h"
#include "epochs.h"
#include "evaluation.h"
#include "image_normalization.h"
#include "image_set.h"
#include "json.h"
#include "model_options.h"
#include "options.h"
#include "progress.h"
#include "run.h"
#include "schedule.h"
#include "table_set.h"
#include "taper/core/error.h"
#include "taper/core/parallel.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/optim/make.h"
#include "taper/train/csv_logger.h"
#include "taper/train/interrupt.h"
#include "text_file.h"
#include "train.h"
#include "train_output.h"
#include "training_profile.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

constexpr int kInterrupted = 128;  // the exit status adds the number of the signal, as in shells

struct TrainOptions {
  ModelOptions model{};
  training::Settings settings{};
  std::optional<std::int64_t> epochs{};
  std::optional<int> threads{};
  TableOptions table{};
  ImageNormalization normalization{};
  std::string data, target_kind, input, output = "out", log;
  int workers = 0;
  std::int64_t checkpoint_every = 0;
  bool resume = false, profile = false;
  std::function<std::string()> to_config{};  ///< the given options as a configuration file
};

/// Throws NonFiniteError if the loss is not finite, which the Trainer accepts with a gradient
/// scaler. Must be called before saving, so that the last checkpoint is preserved.
void check_finite_loss(const training::EpochResult& r, std::int64_t epoch) {
  if (!std::isfinite(r.train_loss))
    throw taper::train::NonFiniteError(fmt::format("the loss of epoch {} is not finite", epoch));
}

/// Returns the description of model and data that is stored in the checkpoint.
taper::Value description(const TrainOptions& o, const training::ExampleSet& set,
                         const std::optional<TableColumns>& columns) {
  taper::Values names, args;
  for (const std::string& name : set.classes) names.push_back(name);
  for (const std::string& arg : o.model.args) args.push_back(arg);
  return taper::Value::dict({{"model", o.model.model},
                             {"arguments", taper::Value::list(args)},
                             {"input", o.input},
                             {"classes", taper::Value::list(names)},
                             {"pixel_max", set.pixel_max},
                             {"normalization", o.normalization.to_value()},
                             {"table", columns ? columns->to_value() : taper::Value()}});
}

/// Reads the normalization of a checkpoint, which it returns. Throws UsageError if the checkpoint
/// was created with another model or input shape, since config.toml may be absent.
taper::Value read_resumed(const std::string& checkpoint, TrainOptions& o) {
  taper::Value saved = taper::load(checkpoint);
  if (!saved.is_dict()) return saved;  // training::Run reports the error
  o.normalization = ImageNormalization::of_checkpoint(saved, checkpoint);
  for (const auto& [key, now] : {std::pair("model", o.model.model), std::pair("input", o.input)}) {
    const taper::Value* const then = saved.as_dict().find(key);
    if (then && then->is_string() && !is_same_value(key, then->as_string(), now))
      throw UsageError(fmt::format("--resume: {} was created with {} '{}', not '{}'",
                                   printable(checkpoint), key, printable(then->as_string()),
                                   printable(now)));
  }
  return saved;
}

/// Throws ValueError if the network has fewer outputs than the data has classes, or does not have
/// one output for numbers. Otherwise, training would fail during the first epoch.
void check_outputs(training::Run& run, std::size_t classes) {
  const taper::Tensor some = run.examples().train_images.narrow(0, 0, 1);
  const std::int64_t outputs = training::compute_outputs(run.module(), some).size(1);
  if (run.score() == training::Score::r2 && outputs != 1)
    throw taper::ValueError(fmt::format("{} has {} outputs: expected 1, for the number to predict",
                                        run.module().type_name(), outputs));
  if (run.score() == training::Score::accuracy && outputs < static_cast<std::int64_t>(classes))
    throw taper::ValueError(fmt::format("{} has {} outputs, but the data has {} classes",
                                        run.module().type_name(), outputs, classes));
}

int train(Out& out, TrainOptions o, bool as_json) {
  if (o.threads) taper::set_num_threads(*o.threads);
  if (o.epochs) o.settings.epochs = *o.epochs;
  const std::string checkpoint = o.output + "/checkpoint.pt",
                    evaluation = o.output + "/evaluation.pt",
                    weights = o.output + "/" + weights_name(o.model.model),
                    log = o.log.empty() ? o.output + "/log.csv" : o.log;
  if (o.model.model.empty()) throw UsageError("model is required");
  if (o.data.empty()) throw UsageError("--data is required");
  o.input = image_input(o.model, o.input);
  const training::ImageShape shape = image_shape(o.input);
  std::int64_t num_classes = 1;  // unless the data has classes
  const auto make = [&] {
    const auto net = make_model(o.model, num_classes);
    o.normalization.attach(*net);
    return net;
  };
  make();  // reports an invalid model before the images are read
  for (const std::string& text : o.settings.augmentations) static_cast<void>(parse_transform(text));
  const taper::Value saved = o.resume ? read_resumed(checkpoint, o) : taper::Value();
  o.normalization.check(shape.channels);
  if (o.normalization.is_given() && is_table(o.data))
    throw UsageError("--mean and --std normalize images, not the rows of a table");
  training::ExampleSet set;
  std::optional<TableColumns> columns;
  if (is_table(o.data)) {
    if (!o.target_kind.empty())
      o.table.kind = o.target_kind == "numbers" ? TargetKind::numbers : TargetKind::classes;
    TableSet table = read_table_set(o.data, o.table);
    set = std::move(table.examples), columns = std::move(table.columns);
  } else {
    set = training::read_image_set(o.data, shape, o.table.test_share);
  }
  if (!set.classes.empty()) num_classes = static_cast<std::int64_t>(set.classes.size());
  if (const taper::Value* const weights_of_run =
          saved.is_dict() ? saved.find("model_state_dict") : nullptr)
    num_classes = classes_of_weights(*make(), *weights_of_run).value_or(num_classes);
  make_folder(o.output);
  training::Run run = o.resume ? training::Run(checkpoint, set.examples, make, "taper train")
                               : training::Run(o.settings, set.examples, make);
  if (o.resume && o.epochs) run.set_epochs(*o.epochs);
  check_outputs(run, set.classes.size());
  set_augmentations(run, o.workers);
  if (!o.resume) write_text(o.output + "/config.toml", o.to_config(), "options");
  const taper::Value about = description(o, set, columns);
  write_classes(o.output + "/classes.txt", set.classes);
  write_log(log, run);  // reports an unwritable log before the first epoch

  if (!as_json) describe(out, run, set);
  taper::train::CsvLogger steps(o.output + "/steps.csv",
                                {.columns = {"loss", "lr"}, .append = o.resume});
  taper::train::ProgressBar line = training::make_progress_bar();
  std::optional<TrainingProfile> profile;
  if (o.profile) profile.emplace(run, o.output);
  const taper::train::Interrupt interrupt;  // also while the run is saved
  bool has_unsaved_steps = false;
  const auto save = [&] {
    run.save(checkpoint, about);
    has_unsaved_steps = false;
  };
  const auto fit = [&] {
    return run.run(
        [&](double) {
          has_unsaved_steps = true;
          if (!as_json) line.show(training::make_progress(run));
          const taper::train::StepResult& step = run.last_step();
          steps.log(step.step,
                    taper::Value::dict({{"loss", step.loss}, {"lr", step.learning_rates.front()}}));
          if (profile) profile->step();
          if (o.checkpoint_every > 0 && step.step % o.checkpoint_every == 0) save();
          return false;
        },
        [&](const training::EpochResult& r) {
          if (!as_json) {
            line.clear();
            out.write(training::epoch_line(run.score(), run.epoch(), r));
            out.flush();
          }
          write_log(log, run);
          check_finite_loss(r, run.epoch());
          save();
        });
  };
  std::error_code ignored;                       // the file may not exist
  std::filesystem::remove(evaluation, ignored);  // of the weights of an earlier epoch
  bool finished = false;
  try {
    finished = fit();
  } catch (const taper::train::NonFiniteError& error) {  // the last checkpoint is preserved
    if (!as_json) line.clear();
    throw taper::RuntimeError(
        fmt::format("{}. Try a --lr smaller than {}", error.what(), run.lr()));
  } catch (...) {
    if (!as_json) line.clear();
    if (has_unsaved_steps) save_after_error(out, run, checkpoint, about, as_json);
    throw;
  }
  if (!as_json) line.clear();
  if (profile) profile->stop();
  if (!finished) save();
  taper::save(run.module().state_dict(), weights);
  taper::save(training::evaluate(run, set), evaluation);
  if (as_json)
    print_json(out, json_of_run(run, set, finished, weights, checkpoint, log));
  else if (finished)
    out.print("\nSaved the weights to {}, the run to {} and the log to {}.\n", weights, checkpoint,
              log);
  else
    out.print(
        "\nStopped in epoch {} after batch {} of {}. The run is saved in {}; continue with "
        "--resume.\n",
        run.epoch() + 1, run.batch(), run.batches_per_epoch(), checkpoint);
  return finished ? 0 : kInterrupted + taper::train::Interrupt::signal();
}

}  // namespace

training::ImageShape image_shape(const std::string& text) {
  const taper::Shape s = parse_shape(text);
  if (s.size() != 3 || (s[0] != 1 && s[0] != 3) || s[1] < 1 || s[2] < 1 || s[1] > 4096 ||
      s[2] > 4096)
    throw UsageError(
        "--input: expected channels (1 or 3), height and width, such as 1x28x28, got '" +
        printable(text) + "'");
  return {static_cast<int>(s[0]), s[1], s[2]};
}

void add_train(Commands& commands) {
  CLI::App& sub = commands.add(
      "train", "train a network on images or on a table",
      "  taper train lenet --data data/digits\n"
      "  taper train lenet --data mnist/ --epochs 5 --lr 0.01 --out run1\n"
      "  taper train --out run1 --resume --epochs 10\n"
      "  taper train --config run1/config.toml --lr 0.02 --out run2\n"
      "  taper train MyNet --plugin ./libmynet.so --data photos/ --input 3x64x64\n"
      "  taper train \"Linear(10, 1)\" --data diabetes.csv --predict numbers\n"
      "The data are MNIST's files (train-images-idx3-ubyte, t10k-..., plain or .gz), one\n"
      "pair of idx files, a table in CSV, or images as CLASS/*.jpg, *.png or *.ppm, optionally in\n"
      "train/ and test/. A configuration file contains options as `epochs = 5`; those of the\n"
      "command line precede it. Ctrl-C saves the run and exits with status 130.");
  const auto o = std::make_shared<TrainOptions>();
  training::Settings& s = o->settings;
  const auto positive = integer_in_range(1, std::int64_t{1} << 31);
  add_config_option(sub);
  add_resume_option(sub, o->resume, o->output);
  add_model_options(sub, o->model)->required(false);
  o->to_config = [&sub] { return config_of(sub); };
  sub.add_option("--data", o->data, "directory with the images, or a table in CSV")
      ->type_name("DIR|FILE.csv");
  sub.add_option("--target", o->table.target, "column of a table to predict (default: the last)")
      ->type_name("NAME");
  sub.add_option("--predict", o->target_kind,
                 "kind of the target of a table: classes or numbers (default: numbers if it has "
                 "fractions)")
      ->check(CLI::IsMember({"classes", "numbers"}))
      ->type_name("KIND");
  sub.add_option(
         "--out", o->output,
         "output directory for weights, checkpoint.pt, classes.txt and log.csv (default: out)")
      ->type_name("DIR");
  sub.add_option("--epochs", o->epochs, "number of epochs (default: 20)")
      ->check(positive)
      ->type_name("N");
  const auto names = taper::optim::optimizer_names();
  sub.add_option("--optimizer", s.optimizer,
                 "class name of the optimizer, such as AdamW (default: SGD)")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->default_str(s.optimizer)
      ->type_name("NAME");
  sub.add_option("--schedule", s.schedule,
                 "class name of a learning rate scheduler, such as OneCycleLR (default: none)")
      ->check(CLI::IsMember(training::schedule_names()))
      ->type_name("NAME");
  sub.add_option("--lr", s.lr, "learning rate (default: 0.05 for SGD, else PyTorch's)")
      ->check(non_negative_number())
      ->type_name("X");
  sub.add_option("--momentum", s.momentum, "momentum (default: 0.9 for SGD, else PyTorch's)")
      ->check(non_negative_number())
      ->type_name("X");
  sub.add_option("--weight-decay", s.weight_decay,
                 "weight decay (default: 0.0005 for SGD, else PyTorch's)")
      ->check(non_negative_number())
      ->type_name("X");
  sub.add_option("--precision", s.precision,
                 "float32, or the dtype of autocast: bfloat16 or float16 (default: float32)")
      ->check(CLI::IsMember({"float32", "bfloat16", "float16"}))
      ->default_str(s.precision)
      ->type_name("DTYPE");
  sub.add_option("--augment", s.augmentations,
                 "transform of training images, such as \"RandomCrop(28, padding=4)\" or\n"
                 "RandomHorizontalFlip, a class of torchvision.transforms.v2; repeatable")
      ->type_name("TRANSFORM")
      ->allow_extra_args(false);
  add_normalization_options(sub, o->normalization, "none");
  sub.add_option("--workers", o->workers,
                 "threads that transform images; 0: the main thread (default: 0)")
      ->check(integer_in_range(0, 1024))
      ->type_name("N");
  sub.add_option("--checkpoint-every", o->checkpoint_every,
                 "steps between checkpoints within an epoch; 0: none (default: 0)")
      ->check(integer_in_range(0, std::numeric_limits<std::int64_t>::max()))
      ->type_name("N");
  sub.add_flag("--profile", o->profile,
               "record steps 3 to 12: profile.txt and trace.json in the output directory");
  sub.add_option("--batch", s.batch, "batch size (default: 64)")
      ->check(positive)
      ->default_str(std::to_string(s.batch))
      ->type_name("N");
  sub.add_option("--seed", s.seed, "seed of the initial weights and of shuffling (default: 0)")
      ->check(integer_in_range(0, std::numeric_limits<std::int64_t>::max()))
      ->default_str(std::to_string(s.seed))
      ->type_name("N");
  sub.add_option(
         "--input", o->input,
         "input shape of the network: channels x height x width (default: that of the network, "
         "such as 3x224x224 for resnet18, otherwise 1x28x28)")
      ->type_name("SHAPE");
  sub.add_option("--test-share", o->table.test_share,
                 "fraction of the images to test with if the data has no test set (default: 0.2)")
      ->check(CLI::Range(0.001, 0.9))
      ->default_str(fmt::format("{}", o->table.test_share))
      ->type_name("X");
  sub.add_option("--log", o->log,
                 "log with the metrics of each epoch (default: log.csv in the output directory)")
      ->type_name("FILE.csv");
  sub.add_option("--threads", o->threads, "number of threads (default: all)")
      ->check(integer_in_range(1, 4096))
      ->type_name("N");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return train(out, *o, common.json); });
}

}  // namespace taper::cli
