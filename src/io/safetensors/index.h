// Index of a sharded checkpoint: a JSON file that maps each tensor to a file in the same directory.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace taper::io {

struct IndexEntry {
  std::string tensor;
  std::string file;  ///< file name without a directory
};

struct ShardIndex {
  std::vector<IndexEntry> entries;  ///< the valid entries, in file order
  std::string error;                ///< the first reason to reject the file; empty if it is valid
};

/// Parses an index of the form {"metadata": ..., "weight_map": {tensor: file}}.
ShardIndex parse_index(std::span<const std::byte> bytes);

}  // namespace taper::io
