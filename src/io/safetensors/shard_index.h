// Names and index of the shards of a checkpoint that several ranks write.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace taper::io {

/// File name of each tensor.
using WeightMap = std::map<std::string, std::string>;

/// Returns the path of shard `i` of `count`; `i` is one-based.
std::string shard_path(const std::string& path, std::size_t i, std::size_t count);
/// Returns the text of an index. `metadata` are additional strings in its metadata.
std::string shard_index_text(const WeightMap& weight_map, std::uint64_t total_size,
                             const std::map<std::string, std::string>& metadata = {});
/// Writes the index of the checkpoint `path` atomically, unless the weight map refers to `path`
/// itself. Then removes the files of previous saves that it does not contain. Throws IoError.
void commit_shard_index(const std::string& path, const WeightMap& weight_map,
                        std::uint64_t total_size);

}  // namespace taper::io
