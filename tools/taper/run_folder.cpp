#include "run_folder.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "config.h"
#include "taper/core/dict.h"
#include "taper/io/load.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

bool is_empty(const Value& value) {
  return (value.is_string() || value.is_list()) && value.size() == 0;
}

/// Reads the log of steps, whose last row may be incomplete if the run was killed.
data::CsvTable read_steps(const std::string& folder) {
  std::ifstream in(folder + "/steps.csv", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.resize(text.rfind('\n') + 1);  // to 0 without a line break
  if (text.empty())
    throw UsageError(printable(folder) +
                     " is not the directory of a run of taper train: it has no steps.csv");
  return data::read_csv(std::as_bytes(std::span(text)));
}

std::vector<std::string> read_classes(const std::string& path) {
  std::vector<std::string> classes;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) classes.push_back(line);
  return classes;
}

using Options = std::vector<std::pair<std::string, std::string>>;

/// Returns the options of a run. Those about the data are only in its configuration file.
Options options_of(const Value& checkpoint, const Options& config) {
  Options options;
  for (const char* name : {"model", "input"})
    if (const Value* const value = checkpoint.find(name))
      options.emplace_back(name, text_of(*value));
  const Value settings = checkpoint["settings"];
  for (const auto& [name, value] : settings.as_dict())
    if (!value.is_none() && !is_empty(value))
      options.emplace_back(name.as_string(), text_of(value));
  for (const auto& [name, value] : config)
    for (const char* of_data : {"data", "target", "predict", "mean", "std"})
      if (name == of_data) options.emplace_back(name, value);
  return options;
}

}  // namespace

RunFolder::RunFolder(const std::string& folder)
    : path(folder),
      name(std::filesystem::path(folder).lexically_normal().string()),
      steps(read_steps(folder)) {
  const auto file = [&](const char* of) { return folder + "/" + of; };
  if (std::filesystem::exists(file("config.toml"))) options = read_config(file("config.toml"));
  if (!std::filesystem::exists(file("checkpoint.pt"))) {
    classes = read_classes(file("classes.txt"));
    return;
  }
  const Value checkpoint = load(file("checkpoint.pt"));
  const Value class_names = checkpoint["classes"], results = checkpoint["results"];
  for (const Value& class_name : class_names.as_sequence())
    classes.push_back(class_name.as_string());
  options = options_of(checkpoint, options);
  epochs = results.as_sequence();
  weights = checkpoint["model_state_dict"];
  if (std::filesystem::exists(file("evaluation.pt"))) evaluation = load(file("evaluation.pt"));
}

std::string text_of(const Value& value) {
  if (value.is_string()) return value.as_string();
  if (!value.is_list()) return value.repr();
  std::string text;
  for (const Value& item : value.as_sequence()) text += (text.empty() ? "" : ", ") + text_of(item);
  return text;
}

}  // namespace taper::cli
