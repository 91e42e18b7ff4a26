#include "source.h"

#include <sys/stat.h>

#include <utility>

#include "contents.h"
#include "taper/core/error.h"
#include "taper/io/checkpoint_files.h"
#include "taper/io/load.h"
#include "words.h"

namespace taper::cli {

using taper::FileKind;

namespace {

std::uint64_t size_of_file(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
}

}  // namespace

const char* id_of(FileKind kind) {
  switch (kind) {
    case FileKind::torch_zip: return "torch_zip";
    case FileKind::torch_legacy: return "torch_legacy";
    case FileKind::safetensors: return "safetensors";
    case FileKind::safetensors_index: return "safetensors_index";
    case FileKind::distributed: return "distributed";
    case FileKind::npy: return "npy";
    case FileKind::npz: return "npz";
    case FileKind::torchscript: return "torchscript";
    case FileKind::torch_tar: return "torch_tar";
    case FileKind::onnx: return "onnx";
    case FileKind::gguf: return "gguf";
    case FileKind::hdf5: return "hdf5";
    case FileKind::keras: return "keras";
    case FileKind::pickle: return "pickle";
    case FileKind::zip: return "zip";
    case FileKind::gzip: return "gzip";
    case FileKind::git_lfs: return "git_lfs";
    case FileKind::html: return "html";
    case FileKind::empty: return "empty";
    case FileKind::other: break;
  }
  return "other";
}

Source inspect_source(const std::string& path) {
  taper::CheckpointFiles files = taper::resolve_checkpoint(path);
  Source s;
  s.path = path;
  s.file = std::move(files.file), s.kind = files.kind, s.shards = std::move(files.shards);
  s.bytes = size_of_file(s.file);
  for (const std::string& shard : s.shards) s.bytes += size_of_file(shard);
  return s;
}

std::vector<std::string> data_files(const Source& source) {
  std::vector<std::string> files = source.shards;
  // An index contains no data; PyTorch unpickles the metadata of a distributed checkpoint.
  if (source.kind != FileKind::safetensors_index) files.insert(files.begin(), source.file);
  return files;
}

Source open_source(const std::string& path, const SourceOptions& options) {
  Source s = inspect_source(path);
  s.value = taper::load(s.file, {.verify = options.verify});
  if (!options.key.empty()) {
    try {
      s.value = value_at_path(s.value, options.key);
    } catch (const taper::KeyError& e) {
      throw taper::KeyError(printable(s.file) + ": --key " + printable(options.key) + ": " +
                            e.what());
    }
  }
  return s;
}

}  // namespace taper::cli
