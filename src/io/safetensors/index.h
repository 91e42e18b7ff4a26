// The index of a sharded checkpoint: a JSON file that maps each tensor to a file next to it.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace taper::io {

struct IndexEntry {
  std::string tensor;
  std::string file;  ///< a name without a directory
};

struct ShardIndex {
  std::vector<IndexEntry> entries;  ///< the valid ones, in the order of the file
  std::string problem;              ///< the first reason to reject the file; empty if it is valid
};

/// Parses {"metadata": ..., "weight_map": {tensor: file}}.
ShardIndex parse_index(std::span<const std::byte> bytes);

/// Returns the directory of a file with a slash at its end; empty for a plain name.
inline std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace taper::io
