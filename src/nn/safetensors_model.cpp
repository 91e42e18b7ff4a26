#include "taper/nn/safetensors_model.h"

#include <algorithm>
#include <string_view>

#include "core/check.h"
#include "taper/io/load.h"
#include "taper/io/save.h"
#include "taper/io/shared_tensors.h"

namespace taper::nn {
namespace {

/// Returns the names to omit, each with the name that is retained instead. Names in `preferred` are
/// retained with priority.
std::vector<std::pair<std::string, std::string>> find_duplicates(const Value& state,
                                                                 const Value& preferred) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const SharedTensorGroup& group : shared_tensors(state)) {
    if (group.whole.empty()) {
      std::string names;
      for (const std::string& name : group.names)
        names += (names.empty() ? "'" : ", '") + name + "'";
      fail<RuntimeError>(
          "Error while trying to find names to remove to save state dict, but found no suitable "
          "name to keep for saving amongst: {{{}}}. None is covering the entire storage. Refusing "
          "to save/load the model since you could be storing much more memory than needed. Please "
          "refer to https://huggingface.co/docs/safetensors/torch_shared_tensors for more "
          "information.",
          names);
    }
    const auto wanted = [&](const std::string& name) { return preferred.find(name) != nullptr; };
    auto kept = std::find_if(group.whole.begin(), group.whole.end(), wanted);
    if (kept == group.whole.end()) kept = group.whole.begin();
    for (const std::string& name : group.names)
      if (name != *kept) all.emplace_back(name, *kept);
  }
  return all;
}

std::string join_quoted(auto first, auto last) {
  std::vector<std::string> names(first, last);
  std::sort(names.begin(), names.end());
  std::string s;
  for (const std::string& name : names) s += (s.empty() ? "\"" : ", \"") + name + "\"";
  return s;
}

}  // namespace

void save_model(const Module& model, const std::string& path, const SaveModelOptions& options) {
  const Value state = model.state_dict();
  SaveOptions file{.format = FileFormat::safetensors, .metadata = options.metadata};
  for (const auto& [dropped, kept] : find_duplicates(state, Value::dict())) {
    if (!file.metadata) file.metadata.emplace();
    file.metadata->emplace(dropped, kept);  // an entry given by the user takes precedence
    state.as_dict().erase(dropped);
  }
  const Value all = state.as_dict().copy();
  if (options.force_contiguous)
    for (const auto& [name, tensor] : all.as_dict())
      if (tensor.is_tensor()) state.as_dict().set(name, tensor.as_tensor().contiguous());
  try {
    save(state, path, file);
  } catch (const ValueError& e) {
    fail<ValueError>(
        "{} Or use save_model(..., force_contiguous=True), read the docs for potential caveats.",
        e.message());
  }
}

LoadedModel load_model(Module& model, const std::string& path, const LoadModelOptions& options) {
  const Value state = load_safetensors(path, {.map_location = options.device});
  const auto dropped = find_duplicates(model.state_dict(), state);
  const IncompatibleKeys keys = model.load_state_dict(state, {.strict = false});
  LoadedModel result{keys.missing_keys, keys.unexpected_keys};
  std::sort(result.missing.begin(), result.missing.end());
  for (const auto& [name, kept] : dropped)
    if (std::erase(result.missing, name) == 0) result.unexpected.push_back(name);
  if (!options.strict || (result.missing.empty() && result.unexpected.empty())) return result;
  std::string error = "Error(s) in loading state_dict for " + std::string(model.type_name()) + ":";
  if (!result.missing.empty())
    error += "\n    Missing key(s) in state_dict: " +
             join_quoted(result.missing.begin(), result.missing.end());
  if (!result.unexpected.empty())
    error += "\n    Unexpected key(s) in state_dict: " +
             join_quoted(result.unexpected.begin(), result.unexpected.end());
  fail<RuntimeError>("{}", error);
}

}  // namespace taper::nn
