#include "io/safetensors/shard_index.h"

#include "io/append_file.h"
#include "io/path.h"
#include "io/safetensors/json.h"
#include "io/safetensors/old_shards.h"

namespace taper::io {

std::string shard_index_text(const WeightMap& weight_map, std::uint64_t total_size,
                             const std::map<std::string, std::string>& metadata) {
  Json index = {{"metadata", metadata}, {"weight_map", weight_map}};
  index["metadata"]["total_size"] = total_size;
  return index.dump(2) + "\n";
}

void commit_shard_index(const std::string& path, const WeightMap& weight_map,
                        std::uint64_t total_size) {
  std::map<std::string, NamedFile> written;
  for (const auto& [tensor, file] : weight_map) {
    const std::string shard = folder_of(path) + file;
    written.try_emplace(shard, NamedFile{shard, {}});
  }
  std::vector<NamedFile> files;
  for (auto& [name, file] : written) files.push_back(std::move(file));
  if (!written.contains(path)) {
    const std::string index = path + ".index.json";
    replace_file("save_safetensors", index, shard_index_text(weight_map, total_size));
    files.push_back({index, {}});
  }
  remove_old_shards(path, files);
}

}  // namespace taper::io
