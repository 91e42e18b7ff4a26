#include "trained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "config.h"
#include "taper/core/dict.h"
#include "taper/core/error.h"
#include "usage_error.h"
#include "words.h"

namespace taper::cli {
namespace {

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.as_list()) texts.push_back(item.str());
  return texts;
}

[[noreturn]] void reject(const std::string& file, const std::string& option, const std::string& was,
                         const std::string& now) {
  throw UsageError(fmt::format("{} was trained with {} '{}', not '{}'", printable(file), option,
                               printable(was), printable(now)));
}

}  // namespace

TrainedModel TrainedModel::of(const Source& source) {
  TrainedModel trained;
  const auto entry = [&](const char* key) {
    return source.value.is_dict() ? source.value.find(key) : nullptr;
  };
  if (const Value* const found = entry("classes"); found && found->is_list())
    trained.classes = texts_of(*found);
  if (const Value* const found = entry("pixel_max")) {
    if (!found->is_int() || found->as_int() < 1 || found->as_int() > 255)
      throw ValueError(printable(source.file) + ": expected a pixel_max of 1 to 255, got " +
                       printable(found->str()));
    trained.pixel_max = static_cast<int>(found->as_int());
  }
  // A checkpoint of another program may have a part "model".
  const Value *const model = entry("model"), *const input = entry("input"),
                     *const arguments = entry("arguments");
  if (!model || !model->is_string() || !input || !input->is_string()) return trained;
  trained.model = model->as_string(), trained.input = input->as_string();
  if (arguments && arguments->is_list()) trained.arguments = texts_of(*arguments);
  return trained;
}

void TrainedModel::complete(ModelOptions& options, std::string& input_shape,
                            const std::string& file, bool has_images) const {
  if (model.empty()) {
    if (options.model.empty())
      throw UsageError("model is required, since " + printable(file) +
                       " is not a checkpoint of taper train");
    return;
  }
  if (options.model.empty()) options.model = model;
  if (!is_same_value("model", model, options.model)) reject(file, "model", model, options.model);
  if (options.args.empty()) options.args = arguments;
  std::vector<std::string> was = arguments, now = options.args;
  std::sort(was.begin(), was.end()), std::sort(now.begin(), now.end());
  if (was != now)
    reject(file, "--arg", fmt::format("{}", fmt::join(arguments, " ")),
           fmt::format("{}", fmt::join(options.args, " ")));
  if (!has_images) return;
  if (input_shape.empty()) input_shape = input;
  if (!is_same_value("input", input, input_shape)) reject(file, "--input", input, input_shape);
}

std::string plugin_of_run(const std::string& weights) {
  const auto config = std::filesystem::path(weights).parent_path() / "config.toml";
  std::error_code error;
  if (!std::filesystem::is_regular_file(config, error)) return {};
  for (const auto& [name, value] : read_config(config.string()))
    if (name == "plugin") return value;
  return {};
}

std::string weights_path(const std::string& path) {
  std::error_code error;
  const std::string checkpoint = path + "/checkpoint.pt";
  return std::filesystem::is_regular_file(checkpoint, error) ? checkpoint : path;
}

}  // namespace taper::cli
