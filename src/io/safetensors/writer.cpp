// Writer of the safetensors format: a JSON header, followed by the elements in the same order.
#include <algorithm>
#include <map>

#include "core/check.h"
#include "io/safetensors/json.h"
#include "io/safetensors/named_tensors.h"
#include "io/safetensors/old_shards.h"
#include "io/text.h"
#include "io/write/serialized_file.h"

namespace taper::io {
namespace {

using Strings = std::vector<std::pair<std::string, std::string>>;

/// Returns the strings for `__metadata__`: those of the options or of the attribute of `value`.
/// Returns nullopt if neither exists.
std::optional<Strings> metadata_of(const Value& value, const SaveOptions& options) {
  if (options.metadata) return Strings(options.metadata->begin(), options.metadata->end());
  const Value* const metadata_attribute =
      value.is_dict() ? value.as_dict().attribute("__metadata__") : nullptr;
  if (!metadata_attribute || !metadata_attribute->is_dict()) return {};
  Strings strings;
  for (const auto& [key, text] :
       metadata_attribute
           ->as_dict())  // the metadata of an index also has numbers, which save() computes
    if (key.is_string() && text.is_string())
      strings.emplace_back(key.as_string(), text.as_string());
  return strings;
}

void check_utf8(const std::optional<Strings>& metadata) {
  if (!metadata) return;
  for (const auto& [key, text] : *metadata)
    if (!is_utf8(key) || !is_utf8(text))
      fail<ValueError>("save: metadata: '{}' is not UTF-8",
                       escape_for_message(is_utf8(key) ? text : key));
}

SerializedFile make_file(std::vector<NamedTensor> tensors, const std::optional<Strings>& metadata) {
  std::sort(tensors.begin(), tensors.end(), [](const NamedTensor& a, const NamedTensor& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.name < b.name;
  });
  std::string header = "{";
  const auto comma = [&] { header += header.size() > 1 ? "," : ""; };
  if (metadata) {
    header += "\"__metadata__\":{";
    for (const auto& [key, text] : *metadata)
      header += (header.back() == '{' ? "" : ",") + quote_json(key) + ":" + quote_json(text);
    header += "}";
  }
  std::size_t at = 0;
  SerializedFile d;
  d.parts.emplace_back();
  for (NamedTensor& t : tensors) {
    comma();
    header += quote_json(t.name) + ":{\"dtype\":\"" + std::string(t.dtype) + "\",\"shape\":[";
    for (const std::int64_t n : t.shape)
      header += (header.back() == '[' ? "" : ",") + std::to_string(n);
    const std::size_t end = at + t.data.bytes.size();
    header += "],\"data_offsets\":[" + std::to_string(at) + "," + std::to_string(end) + "]}";
    at = end;
    d.parts.push_back(std::move(t.data));
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (constexpr std::size_t kLargest = 100'000'000; header.size() > kLargest)
    fail<ValueError>("save: safetensors header too large: got {} bytes, expected at most {}",
                     header.size(), kLargest);
  std::string size;
  for (int i = 0; i < 8; ++i) size += static_cast<char>(header.size() >> (8 * i) & 0xff);
  d.parts[0].text = size + header;
  return d;
}

/// Distributes the tensors over shards of at most `max` bytes, in the order of the dict, as in
/// huggingface_hub. A tensor larger than `max` gets a shard to itself.
std::vector<std::vector<NamedTensor>> split_into_shards(std::vector<NamedTensor> tensors,
                                                        std::uint64_t max) {
  std::vector<std::vector<NamedTensor>> shards;
  std::vector<NamedTensor> open;
  std::uint64_t bytes = 0;
  for (NamedTensor& t : tensors) {
    const std::uint64_t size = t.data.bytes.size();
    if (size > max) {
      shards.emplace_back().push_back(std::move(t));
      continue;
    }
    if (bytes + size > max) shards.push_back(std::exchange(open, {})), bytes = 0;
    bytes += size;
    open.push_back(std::move(t));
  }
  if (!open.empty() || shards.empty()) shards.push_back(std::move(open));
  return shards;
}

}  // namespace

SerializedFile safetensors_file(const Value& value, const SaveOptions& options) {
  const auto metadata = metadata_of(value, options);
  check_utf8(metadata);
  return make_file(named_tensors(value, options.shared), metadata);
}

std::vector<NamedFile> safetensors_shards(const Value& value, const std::string& path,
                                          const SaveOptions& options) {
  const auto metadata = metadata_of(value, options);
  check_utf8(metadata);
  auto shards =
      split_into_shards(named_tensors(value, options.shared), options.max_shard_size->value());
  std::vector<NamedFile> files;
  if (shards.size() == 1) {
    files.push_back({path, make_file(std::move(shards[0]), metadata)});
    return files;
  }
  const std::size_t slash = path.rfind('/') + 1;
  WeightMap weight_map;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string name = shard_path(path, i + 1, shards.size());
    for (const NamedTensor& t : shards[i]) {
      weight_map[std::string(t.name)] = name.substr(slash);
      total += t.data.bytes.size();
    }
    files.push_back({name, make_file(std::move(shards[i]), metadata)});
  }
  SerializedFile last;
  std::map<std::string, std::string> index_metadata;
  if (metadata) index_metadata.insert(metadata->begin(), metadata->end());
  last.parts.push_back({.text = shard_index_text(weight_map, total, index_metadata)});
  files.push_back({path + ".index.json", std::move(last)});
  return files;
}

}  // namespace taper::io
