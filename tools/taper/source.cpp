#include "source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "contents.h"
#include "folder.h"
#include "taper/core/error.h"
#include "taper/io/file_kind.h"
#include "taper/io/load.h"
#include "words.h"

namespace taper::cli {
namespace {

namespace fs = std::filesystem;

/// The file to read of a folder.
std::string file_in(const std::string& folder) {
  std::vector<std::string> indices, checkpoints;
  for (const std::string& name : training::names_in(folder)) {
    const auto ends = [&](const char* ending) { return name.ends_with(ending); };
    if (ends(".index.json")) indices.push_back(name);
    if (ends(".safetensors") || ends(".pt") || ends(".pth") || ends(".bin") || ends(".npz"))
      checkpoints.push_back(name);
  }
  const auto& candidates = indices.empty() ? checkpoints : indices;
  const std::string where = printable(folder) + ": ";
  if (candidates.empty())
    throw taper::IoError(where + "the folder holds no *.index.json and no checkpoint");
  if (candidates.size() > 1)
    throw taper::IoError(where + "the folder holds several checkpoints (" + candidates[0] + ", " +
                         candidates[1] + (candidates.size() > 2 ? ", …" : "") +
                         "): name the file, or join shards with taper merge");
  return (fs::path(folder) / candidates[0]).string();
}

std::uint64_t size_of_file(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
}

/// The name of a kind that programs may rely on.
const char* id_of(taper::FileKind kind) {
  using Kind = taper::FileKind;
  switch (kind) {
    case Kind::torch_zip: return "torch_zip";
    case Kind::torch_legacy: return "torch_legacy";
    case Kind::safetensors: return "safetensors";
    case Kind::safetensors_index: return "safetensors_index";
    case Kind::npy: return "npy";
    case Kind::npz: return "npz";
    case Kind::torchscript: return "torchscript";
    case Kind::torch_tar: return "torch_tar";
    case Kind::onnx: return "onnx";
    case Kind::gguf: return "gguf";
    case Kind::hdf5: return "hdf5";
    case Kind::keras: return "keras";
    case Kind::pickle: return "pickle";
    case Kind::zip: return "zip";
    case Kind::gzip: return "gzip";
    case Kind::git_lfs: return "git_lfs";
    case Kind::html: return "html";
    case Kind::empty: return "empty";
    case Kind::other: break;
  }
  return "other";
}

/// The files that an index names. What is wrong with an index is said by who reads it.
std::vector<std::string> shards_of(const std::string& index) {
  std::ifstream in(index, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
  std::set<std::string> shards;
  if (json.is_object() && json.contains("weight_map") && json["weight_map"].is_object())
    for (const auto& [name, shard] : json["weight_map"].items())
      if (shard.is_string()) shards.insert(shard.get<std::string>());
  return {shards.begin(), shards.end()};
}

}  // namespace

Source look_at(const std::string& path) {
  Source s;
  s.path = s.file = path;
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    throw taper::IoError((path.empty() ? "''" : printable(path)) + ": " + std::strerror(errno));
  if (S_ISDIR(about.st_mode)) s.file = file_in(path);
  const taper::FileKind kind = taper::file_kind(s.file);
  s.kind = id_of(kind), s.kind_text = taper::name_of(kind);
  s.bytes = size_of_file(s.file);
  if (s.kind == "safetensors_index") {
    s.shards = shards_of(s.file);
    for (const std::string& file : data_files(s)) s.bytes += size_of_file(file);
  }
  return s;
}

std::vector<std::string> data_files(const Source& source) {
  if (source.kind != "safetensors_index") return {source.file};
  const std::string folder = source.file.substr(0, source.file.rfind('/') + 1);
  std::vector<std::string> files;
  for (const std::string& shard : source.shards)
    if (shard.find('/') == std::string::npos)
      files.push_back(folder + shard);  // others are refused
  return files;
}

Source open_source(const std::string& path, const SourceOptions& options) {
  Source s = look_at(path);
  try {
    s.value = taper::load(s.file, {.verify = options.verify});
  } catch (const taper::Error& error) {
    constexpr std::string_view kOp = "load: ";  // of no interest to who wrote no program
    const std::string_view what = error.what();
    taper::throw_error(error.kind(),
                       std::string(what.substr(what.starts_with(kOp) ? kOp.size() : 0)));
  }
  if (!options.key.empty()) {
    try {
      s.value = part_of(s.value, options.key);
    } catch (const taper::KeyError& e) {
      throw taper::KeyError(printable(s.file) + ": --key " + printable(options.key) + ": " +
                            e.what());
    }
  }
  return s;
}

}  // namespace taper::cli
