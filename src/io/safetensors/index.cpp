#include "io/safetensors/index.h"

#include <map>

#include "core/check.h"
#include "io/formats.h"
#include "io/path.h"
#include "io/safetensors/json.h"
#include "io/text.h"

namespace taper::io {
namespace {

/// Reads a shard: a safetensors file, or a `.bin` file of torch.save, the former format of Hugging
/// Face.
Value read_shard(const std::string& path, const LoadOptions& options) {
  LoadContext context(Source::open(path), options);
  switch (const FileKind kind = detect_file_kind(context.bytes())) {
    case FileKind::safetensors: return read_safetensors(context);
    case FileKind::torch_zip: return read_zip(ZipReader(context));
    case FileKind::torch_legacy: return read_legacy(context);
    case FileKind::safetensors_index: context.reject("a shard must not be another index");
    default: context.reject("{}", unsupported_hint(kind, context.bytes()));
  }
}

}  // namespace

ShardIndex parse_index(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr int kMaxDepth = 16;
  const auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw IoError("too deep");  // stops the parser; caught below
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, check_depth, false);
  } catch (const IoError&) { return {{}, "JSON nested too deeply"}; }
  if (json.is_discarded() || !json.is_object() || text.find('\0') != std::string_view::npos)
    return {{}, "invalid JSON: expected an object"};
  if (!json.contains("weight_map") || !json["weight_map"].is_object())
    return {{}, "missing weight_map"};
  ShardIndex index;
  const auto reject = [&](std::string why) {
    if (index.error.empty()) index.error = std::move(why);
  };
  for (const auto& [tensor, file] : json["weight_map"].items())
    if (!file.is_string())
      reject("invalid shard name: expected a string");
    else if (const auto& name = file.get_ref<const std::string&>(); is_file_name(name))
      index.entries.push_back({tensor, name});
    else
      reject(format_message("shard name '{}' must be a file name without a directory",
                            escape_for_message(name)));
  return index;
}

Value read_safetensors_index(LoadContext& context) {
  const ShardIndex index = parse_index(context.bytes());
  if (!index.error.empty()) context.reject("index of sharded tensors: {}", index.error);
  const std::string folder = folder_of(context.name());
  std::map<std::string, Value> shards;
  Value result = Value::dict();
  for (const auto& [name, shard] : index.entries) {
    auto found = shards.find(shard);
    if (found == shards.end()) {
      Value part = read_shard(folder + shard, context.options());
      if (!part.is_dict())
        context.reject("index of sharded tensors: {} does not contain a dict of tensors",
                       escape_for_message(shard));
      found = shards.emplace(shard, std::move(part)).first;
    }
    const Value* tensor = found->second.find(name);
    if (!tensor)
      context.reject("index of sharded tensors: tensor '{}' not found in {}",
                     escape_for_message(name), escape_for_message(shard));
    result.as_dict().set(name, *tensor);
  }
  return result;
}

}  // namespace taper::io
