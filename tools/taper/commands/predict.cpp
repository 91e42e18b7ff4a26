// taper predict: applies a trained network to images or to the rows of a table.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>

#include "contents.h"
#include "image_normalization.h"
#include "image_set.h"
#include "json.h"
#include "model_options.h"
#include "options.h"
#include "run.h"
#include "source.h"
#include "table.h"
#include "table_set.h"
#include "taper/core/error.h"
#include "taper/io/pickled_module.h"
#include "taper/nn/module.h"
#include "train.h"
#include "trained_model.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

struct PredictOptions {
  ModelOptions model{};
  std::string weights, input, classes, data;
  std::vector<std::string> images;
  ImageNormalization normalization{};
  std::size_t top = 3;
};

/// Returns the state dict of a file, which is the file itself, a part of a checkpoint, or the state
/// of a whole module.
taper::Value select_state_dict(const Source& source) {
  const taper::Value value = taper::state_dict_of(source.value);
  const std::vector<std::string> paths = find_state_dicts(value);
  if (paths.empty())
    throw taper::ValueError(printable(source.file) + ": the file does not contain a state dict");
  for (const char* usual : {"model_state_dict", "state_dict", "model"})
    if (std::find(paths.begin(), paths.end(), usual) != paths.end())
      return value_at_path(value, usual);
  return value_at_path(value, paths.front());
}

/// Returns the error text of load_state_dict with shortened lines, because it lists all mismatched
/// names.
std::string truncate_message(const std::string& text) {
  constexpr std::size_t kMax = 160;
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    line.erase(0, line.find_first_not_of(" \t"));
    out += (out.empty() ? "" : "\n  ") + printable(line, kMax);
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// Returns the names of --classes, filled up to `count` with the indices of the classes; otherwise
/// those of the data, which may be fewer than the outputs of the network, from the checkpoint or
/// from classes.txt next to the weights; otherwise indices.
std::vector<std::string> class_names(const PredictOptions& o, const TrainedModel& trained,
                                     const Source& source, std::size_t count) {
  std::vector<std::string> names = split(o.classes);
  if (o.classes.empty()) names = trained.classes;
  if (names.empty()) {
    const auto classes_path = std::filesystem::path(source.file).parent_path() / "classes.txt";
    std::ifstream in(classes_path);
    for (std::string line; std::getline(in, line);) names.push_back(line);
  }
  const bool are_of_data = o.classes.empty() && !names.empty() && names.size() <= count;
  for (std::size_t i = names.size(); i < count && !are_of_data; ++i)
    names.push_back(std::to_string(i));
  return names;
}

struct Answer {
  std::string example;
  std::vector<std::pair<std::size_t, double>> best;  ///< classes and probabilities
};

/// Returns the answers for outputs (N, classes), of which the first `known` are classes of the
/// data, named by `name_of(n)`.
template <class NameOf> std::vector<Answer> answers_of(const taper::Tensor& outputs,
                                                       std::size_t known, std::size_t top,
                                                       const NameOf& name_of) {
  const taper::Tensor rows =
      taper::softmax(outputs.narrow(1, 0, static_cast<std::int64_t>(known)).to(taper::DType::f64),
                     1)
          .contiguous();
  const auto values = rows.data<double>();
  const auto classes = static_cast<std::size_t>(rows.size(1));
  std::vector<Answer> answers;
  for (std::size_t n = 0; n * classes < values.size(); ++n) {
    const auto row = values.subspan(n * classes, classes);
    std::vector<std::size_t> order(classes);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
    Answer a{name_of(n), {}};
    for (std::size_t i = 0; i < std::min(top, classes); ++i)
      a.best.emplace_back(order[i], row[order[i]]);
    answers.push_back(std::move(a));
  }
  return answers;
}

void print_text(Out& out, const std::vector<Answer>& answers, const std::vector<std::string>& names,
                bool is_table) {
  Table table({{is_table ? "Row" : "Image", Table::Kind::name},
               {"Class", Table::Kind::name},
               {"Probability", Table::Kind::number},
               {"", Table::Kind::picture}});
  for (const Answer& a : answers)
    for (std::size_t i = 0; i < a.best.size(); ++i) {
      const auto& [label, probability] = a.best[i];
      const Color color = i == 0 ? Color::green : Color::dim;
      table.add({i == 0 ? printable(a.example) : "",
                 {printable(names[label]), color},
                 fmt::format("{:.1f} %", 100 * probability),
                 {out.decoration() ? draw_bar(probability, 24) : "",
                  i == 0 ? Color::green : Color::cyan}});
    }
  table.print(out);
}

/// Returns how the rows of a table become inputs, from the checkpoint.
TableColumns columns_of(const Source& source) {
  const taper::Value* const table =
      source.value.is_dict() ? source.value.as_dict().find("table") : nullptr;
  if (!table || !table->is_dict())
    throw taper::ValueError(printable(source.file) +
                            ": expected the checkpoint of a run that was trained with a table");
  return TableColumns::from_value(*table);
}

/// Prints the number that a regression predicts for each row.
void print_numbers(Out& out, const taper::Tensor& outputs, const TableColumns& columns,
                   const Source& source, bool as_json) {
  const taper::Tensor numbers =
      training::in_target_unit(outputs, columns.target_scale, columns.target_mean).contiguous();
  Table table({{"Row", Table::Kind::number}, {printable(columns.target), Table::Kind::number}});
  Json json = Json::array();
  for (const double number : numbers.data<const double>()) {
    table.add({std::to_string(json.size() + 1), fmt::format("{:.6g}", number)});
    json.push_back({{"row", json.size() + 1}, {columns.target, json_of(number)}});
  }
  if (as_json)
    print_json(out, {{"weights", source.file}, {"predictions", json}});
  else
    table.print(out);
}

/// Creates the model with the number of classes of its weights.
std::shared_ptr<nn::Module> make_trained(const PredictOptions& o, const TrainedModel& trained,
                                         const taper::Value& state) {
  const auto make = [&](std::optional<std::int64_t> classes) {
    try {
      return make_model(o.model, classes);
    } catch (const UsageError& error) {
      // A plug-in is executed, hence it is not loaded because a file names it.
      const std::string plugin = trained.model.empty() ? "" : plugin_of_run(o.weights);
      if (plugin.empty() || !o.model.plugins.empty()) throw;
      throw UsageError(
          fmt::format("{}. The run used --plugin {}", error.what(), printable(plugin)));
    }
  };
  std::optional<std::int64_t> classes;
  if (!trained.classes.empty()) classes = static_cast<std::int64_t>(trained.classes.size());
  const auto net = make(classes);
  const std::optional<std::int64_t> found = classes_of_weights(*net, state);
  return found ? make(found) : net;
}

/// Returns the normalization of the checkpoint, or that of the command line. Throws UsageError if
/// they differ.
ImageNormalization normalization_of(const PredictOptions& o, const TrainedModel& trained,
                                    const Source& source) {
  const auto stored = ImageNormalization::of_checkpoint(source.value, source.file);
  if (!o.normalization.is_given()) return stored;
  if (!trained.model.empty() &&
      (stored.mean != o.normalization.mean || stored.std != o.normalization.std)) {
    const auto text = [](const ImageNormalization& n) {
      return n.is_given()
                 ? fmt::format("--mean {} --std {}", fmt::join(n.mean, ","), fmt::join(n.std, ","))
                 : "no --mean and --std";
    };
    throw UsageError(fmt::format("{} was trained with {}, not with {}", printable(source.file),
                                 text(stored), text(o.normalization)));
  }
  return o.normalization;
}

int predict(Out& out, PredictOptions o, bool as_json) {
  if (o.images.empty() == o.data.empty()) throw UsageError("either --image or --data is required");
  o.weights = weights_path(o.weights);
  const Source source = open_source(o.weights);
  const TrainedModel trained = TrainedModel::of(source);
  trained.complete(o.model, o.input, source.file, o.data.empty());
  const training::ImageShape shape = image_shape(image_input(o.model, o.input));
  const taper::Value state = select_state_dict(source);
  const auto net = make_trained(o, trained, state);
  try {
    net->load_state_dict(state);
  } catch (const taper::RuntimeError& error) {
    throw taper::RuntimeError(printable(source.file) + " does not match " +
                              std::string(net->type_name()) + ": " +
                              truncate_message(error.what()));
  }
  std::vector<Answer> answers;
  std::vector<std::string> names;
  const auto add_answers = [&](const taper::Tensor& outputs, const auto& name_of) {
    const auto count = static_cast<std::size_t>(outputs.size(1));
    names = class_names(o, trained, source, count);
    if (!o.classes.empty() && names.size() > count)
      throw UsageError(fmt::format("--classes: got {} names, but {} has {} outputs", names.size(),
                                   net->type_name(), count));
    for (Answer& a : answers_of(outputs, std::min(names.size(), count), o.top, name_of))
      answers.push_back(std::move(a));
  };
  if (!o.data.empty()) {
    const TableColumns columns = columns_of(source);
    const taper::Tensor outputs = training::compute_outputs(*net, columns.read_inputs(o.data));
    if (columns.is_regression) return print_numbers(out, outputs, columns, source, as_json), 0;
    add_answers(outputs, [](std::size_t n) { return std::to_string(n + 1); });
  } else {
    const ImageNormalization normalization = normalization_of(o, trained, source);
    normalization.check(shape.channels);
    normalization.attach(*net);
  }
  for (const std::string& image : o.images) {
    const taper::Tensor outputs =
        training::compute_outputs(*net, training::read_images(image, shape, trained.pixel_max));
    add_answers(outputs, [&](std::size_t n) {
      return outputs.size(0) == 1 ? image : fmt::format("{}[{}]", image, n);
    });
  }
  if (!as_json) {
    print_text(out, answers, names, !o.data.empty());
    return 0;
  }
  Json json = Json::array();
  for (const Answer& a : answers) {
    Json best = Json::array();
    for (const auto& [label, probability] : a.best)
      best.push_back(
          {{"class", names[label]}, {"label", label}, {"probability", json_of(probability)}});
    Json entry{{"class", names[a.best[0].first]}, {"top", best}};
    if (o.data.empty())
      entry["image"] = a.example;
    else
      entry["row"] = json.size() + 1;
    json.push_back(entry);
  }
  print_json(out, {{"weights", source.file}, {"predictions", json}});
  return 0;
}

}  // namespace

void add_predict(Commands& commands) {
  CLI::App& sub = commands.add(
      "predict", "apply a trained network to images or to a table",
      "  taper predict --weights out --image seven.png two.pgm\n"
      "  taper predict --weights out/checkpoint.pt --image digits-images.idx3-ubyte.gz\n"
      "  taper predict lenet --weights out/lenet.pt --image seven.png\n"
      "  taper predict MyNet --plugin ./libmynet.so --weights w.pt --classes cat,dog \\\n"
      "        --input 3x64x64 --image photo.png\n"
      "  taper predict --weights out/checkpoint.pt --data patients.csv\n"
      "The weights of a run of taper train, its directory or checkpoint.pt, contain the model, "
      "its\n"
      "input and the names of the classes. Images and rows are preprocessed as in taper train. "
      "The\n"
      "names of the classes come from --classes, from the checkpoint, or from classes.txt next to\n"
      "the weights.");
  const auto o = std::make_shared<PredictOptions>();
  add_model_options(sub, o->model)->required(false);
  sub.add_option("--weights", o->weights,
                 "state dict, checkpoint that contains one, whole module, or directory of a run")
      ->required()
      ->type_name("FILE");
  sub.add_option("--image", o->images, "JPEG, PNG or PNM image, or idx file with several images")
      ->type_name("FILE...");
  sub.add_option("--data", o->data,
                 "table in CSV with the columns of the training; the weights are a checkpoint")
      ->type_name("FILE.csv");
  sub.add_option(
         "--input", o->input,
         "input shape of the network: channels x height x width (default: that of the run, or of "
         "the network, such as 3x224x224 for resnet18, otherwise 1x28x28)")
      ->type_name("SHAPE");
  add_normalization_options(sub, o->normalization, "that of the checkpoint");
  sub.add_option("--classes", o->classes, "names of the classes")->type_name("A,B,...");
  sub.add_option("--top", o->top, "number of classes to print per example (default: 3)")
      ->check(integer_in_range(1, 1000))
      ->type_name("N");
  commands.set_action(
      sub, [o, &common = commands.common](Out& out) { return predict(out, *o, common.json); });
}

}  // namespace taper::cli
