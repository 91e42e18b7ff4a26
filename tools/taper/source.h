// Source: an input file with its kind, size and contents.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/value.h"
#include "taper/io/file_kind.h"

namespace taper::cli {

struct Source {
  std::string path;  ///< path as specified
  std::string file;  ///< file that is read; differs from `path` for a directory
  taper::FileKind kind = taper::FileKind::other;
  std::uint64_t bytes = 0;          ///< total size of all files
  std::vector<std::string> shards;  ///< paths of the shards; empty if `file` is not an index
  taper::Value value;
};

struct SourceOptions {
  bool verify = false;  ///< verify the checksums of the file
  std::string key{};    ///< path of the part to select; empty: the whole value
};

/// Loads a file, or the checkpoint in a directory (`taper::resolve_checkpoint`). Throws
/// taper::LoadError, and taper::KeyError if `options.key` does not exist.
Source open_source(const std::string& path, const SourceOptions& options = {});
/// Returns the source without reading its contents: `value` is None. Throws taper::LoadError.
Source inspect_source(const std::string& path);
/// Returns the paths of the files that contain values: `source.file`, the shards, or both.
std::vector<std::string> data_files(const Source& source);
/// Returns the stable identifier of a kind of file for JSON output, such as "torch_zip".
const char* id_of(taper::FileKind kind);

}  // namespace taper::cli
