// Tensors spread over several safetensors files, and the JSON that says which is where.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/check.h"
#include "io/formats.h"
#include "io/text.h"

namespace taper::io {
namespace {

using Json = nlohmann::ordered_json;

/// {"metadata": ..., "weight_map": {tensor: file}}
Json weight_map(const MappedFile& file) {
  const auto refuse = [&](const char* what) {
    fail<IoError>("load: {}: safetensors index: {}", file.path(), what);
  };
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  constexpr int kDeepest = 16;
  const auto too_deep = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw IoError("too deep");
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, too_deep, false);
  } catch (const IoError&) { refuse("it is nested too deep"); }
  if (json.is_discarded() || !json.is_object() || text.find('\0') != std::string_view::npos)
    refuse("it is no JSON object");
  if (!json.contains("weight_map") || !json["weight_map"].is_object())
    refuse("it has no weight_map");
  for (const auto& [name, shard] : json["weight_map"].items())
    if (!shard.is_string()) refuse("a file's name is no text");
  return json["weight_map"];
}

}  // namespace

Value read_safetensors_index(const MappedFile& file, const LoadOptions& options) {
  const Json names = weight_map(file);
  const std::string folder = file.path().substr(0, file.path().rfind('/') + 1);
  std::map<std::string, Value> shards;
  Value result = Value::dict();
  for (const auto& [name, where] : names.items()) {
    const auto& shard = where.get_ref<const std::string&>();
    const bool plain = !shard.empty() && shard != "." && shard != ".." &&
                       shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
    if (!plain)
      fail<IoError>("load: {}: safetensors index: '{}' is no plain name of a file beside it",
                    file.path(), shown(shard));
    auto found = shards.find(shard);
    if (found == shards.end()) {
      const MappedFile part(folder + shard);
      found = shards.emplace(shard, read_safetensors(part, options)).first;
    }
    const Value* tensor = found->second.find(name);
    if (!tensor)
      fail<IoError>("load: {}: safetensors index: '{}' is not in {}", file.path(), shown(name),
                    shown(shard));
    result.as_dict().set(name, *tensor);
  }
  return result;
}

}  // namespace taper::io
