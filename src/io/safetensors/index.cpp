// Tensors spread over several files, and the JSON that says which is where.
#include <map>
#include <nlohmann/json.hpp>

#include "core/check.h"
#include "io/formats.h"
#include "io/text.h"

namespace taper::io {
namespace {

using Json = nlohmann::ordered_json;

/// {"metadata": ..., "weight_map": {tensor: file}}
Json weight_map(const LoadContext& context) {
  const auto reject = [&](const char* what) {
    context.reject(std::string("index of sharded tensors: ") + what);
  };
  const std::string_view text(reinterpret_cast<const char*>(context.bytes().data()),
                              context.bytes().size());
  constexpr int kDeepest = 16;
  const auto too_deep = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) throw IoError("too deep");
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, too_deep, false);
  } catch (const IoError&) { reject("it is nested too deep"); }
  if (json.is_discarded() || !json.is_object() || text.find('\0') != std::string_view::npos)
    reject("it is no JSON object");
  if (!json.contains("weight_map") || !json["weight_map"].is_object())
    reject("it has no weight_map");
  for (const auto& [name, shard] : json["weight_map"].items())
    if (!shard.is_string()) reject("a file's name is no text");
  return json["weight_map"];
}

/// A shard: safetensors, or the `.bin` files that Hugging Face wrote before, which are
/// torch.save's.
Value read_shard(const std::string& path, const LoadOptions& options) {
  LoadContext context(Source::open(path), options);
  switch (const FileKind kind = detect_file_kind(context.bytes())) {
    case FileKind::safetensors: return read_safetensors(context);
    case FileKind::torch_zip: return read_zip(ZipReader(context));
    case FileKind::torch_legacy: return read_legacy(context);
    case FileKind::safetensors_index: context.reject("an index names another index");
    default: context.reject(unsupported_hint(kind));
  }
}

}  // namespace

Value read_safetensors_index(LoadContext& context) {
  const Json names = weight_map(context);
  const auto reject = [&](const std::string& what) {
    context.reject("index of sharded tensors: " + what);
  };
  const std::string folder = context.name().substr(0, context.name().rfind('/') + 1);
  std::map<std::string, Value> shards;
  Value result = Value::dict();
  for (const auto& [name, where] : names.items()) {
    const auto& shard = where.get_ref<const std::string&>();
    const bool plain = !shard.empty() && shard != "." && shard != ".." &&
                       shard.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
    if (!plain) reject("'" + shown(shard) + "' is no plain name of a file beside it");
    auto found = shards.find(shard);
    if (found == shards.end()) {
      Value part = read_shard(folder + shard, context.options());
      if (!part.is_dict()) reject(shown(shard) + " holds no dict of tensors");
      found = shards.emplace(shard, std::move(part)).first;
    }
    const Value* tensor = found->second.find(name);
    if (!tensor) reject("'" + shown(name) + "' is not in " + shown(shard));
    result.as_dict().set(name, *tensor);
  }
  return result;
}

}  // namespace taper::io
