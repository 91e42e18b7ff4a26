// A file that a command was given: what kind it is, how large, and what is in it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "taper/core/value.h"

namespace taper::cli {

struct Source {
  std::string path;                 ///< as given
  std::string file;                 ///< of a folder: the file in it that was read
  std::string kind;                 ///< "torch_zip": a name that stays
  std::string kind_text;            ///< "PyTorch checkpoint (zip)"
  std::uint64_t bytes = 0;          ///< of all its files
  std::vector<std::string> shards;  ///< files of a sharded checkpoint, beside `file`
  taper::Value value;
};

struct SourceOptions {
  bool verify = false;  ///< check the checksums that the file holds
  std::string key{};    ///< only this part of a nested value
};

/// Reads a file, or what a folder holds: its `*.index.json`, or its only checkpoint. Throws
/// taper::Error that names the file.
Source open_source(const std::string& path, const SourceOptions& options = {});
/// The same without reading it: `value` is none.
Source look_at(const std::string& path);
/// The files that hold the tensors: `file` itself, or the shards with the path of their folder.
std::vector<std::string> data_files(const Source& source);

}  // namespace taper::cli
