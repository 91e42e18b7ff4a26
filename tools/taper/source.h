// A file that a command was given: what kind it is, how large, and what is in it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/value.h"
#include "taper/io/file_kind.h"

namespace taper::cli {

struct Source {
  std::string path;  ///< as given
  std::string file;  ///< of a folder: the file in it that was read
  taper::FileKind kind = taper::FileKind::other;
  std::uint64_t bytes = 0;          ///< of all its files
  std::vector<std::string> shards;  ///< paths of the files of a sharded checkpoint
  taper::Value value;
};

struct SourceOptions {
  bool verify = false;  ///< check the checksums that the file holds
  std::string key{};    ///< only this part of a nested value
};

/// Reads a file, or the checkpoint in a folder (`taper::resolve_checkpoint`). Throws
/// taper::LoadError.
Source open_source(const std::string& path, const SourceOptions& options = {});
/// The same without reading it: `value` is none.
Source look_at(const std::string& path);
/// The files that hold the tensors: `file` itself, or the shards.
std::vector<std::string> data_files(const Source& source);
/// Returns the stable identifier of a kind in the output of --json: "torch_zip".
const char* id_of(taper::FileKind kind);

}  // namespace taper::cli
