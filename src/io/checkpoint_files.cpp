#include "io/checkpoint_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/check.h"
#include "io/dcp/metadata.h"
#include "io/formats.h"
#include "io/path.h"
#include "io/safetensors/index.h"
#include "io/text.h"
#include "taper/io/checkpoint_files.h"
#include "taper/io/load_error.h"

namespace taper {
namespace io {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr std::string_view kIndex = ".index.json";
constexpr std::string_view kKnownSuffixes[] = {".pt", ".pth", ".bin", ".ckpt", ".npz"};

/// Returns the sorted names of the entries of a directory that are not directories. Throws
/// LoadError if the directory cannot be read.
Names list_files(const std::string& folder) {
  Names names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;  // ignored: opening an inaccessible file reports the reason
    if (!it->is_directory(unknown)) names.push_back(it->path().filename().string());
  }
  if (error) throw LoadError(folder, "cannot read the directory: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

/// Checkpoint file names, grouped by the precedence of `resolve_checkpoint`.
struct Candidates {
  Names distributed, safetensors_indices, safetensors, other_indices, others;

  explicit Candidates(const Names& names) {
    for (const std::string& name : names) {
      const auto has_suffix = [&](std::string_view suffix) { return name.ends_with(suffix); };
      if (name == kDcpMetadataFile) {
        distributed.push_back(name);
      } else if (has_suffix(kIndex)) {
        const std::string_view file = std::string_view(name).substr(0, name.size() - kIndex.size());
        if (file.ends_with(".safetensors"))
          safetensors_indices.push_back(name);
        else if (!file.ends_with(".h5") && !file.ends_with(".msgpack"))
          other_indices.push_back(name);
      } else if (has_suffix(".safetensors")) {
        safetensors.push_back(name);
      } else if (std::any_of(std::begin(kKnownSuffixes), std::end(kKnownSuffixes), has_suffix)) {
        others.push_back(name);
      }
    }
  }

  /// Returns the group with the highest precedence; empty if the directory has no checkpoint.
  const Names& best() const {
    if (!distributed.empty()) return distributed;
    if (!safetensors_indices.empty()) return safetensors_indices;
    if (safetensors.size() == 1) return safetensors;
    if (!other_indices.empty()) return other_indices;
    return safetensors.empty() ? others : safetensors;
  }
};

std::string select_checkpoint(const std::string& folder) {
  const Candidates candidates(list_files(folder));
  const Names& best = candidates.best();
  if (best.size() == 1) return best[0];
  if (&best == &candidates.others) {
    const std::string old = "pytorch_model.bin";
    if (std::find(best.begin(), best.end(), old) != best.end()) return old;
  }
  if (best.empty())
    throw LoadError(folder,
                    "no checkpoint in the directory: expected a file *.index.json, "
                    "*.safetensors, *.pt, *.pth, *.bin, *.ckpt, *.npz or .metadata");
  constexpr std::size_t kMaxListed = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(best.size(), kMaxListed); ++i)
    list += (i ? ", " : "") + escape_for_message(best[i]);
  if (best.size() > kMaxListed) list += ", ...";
  throw LoadError(
      folder,
      format_message(
          "ambiguous checkpoint: the directory contains {} checkpoints ({}). Pass the path of one",
          best.size(), list));
}

}  // namespace

std::string checkpoint_file(const std::string& path) {
  std::error_code unknown;  // ignored: opening an inaccessible file reports the reason
  if (!fs::is_directory(path, unknown)) return path;
  return (fs::path(path) / select_checkpoint(path)).string();
}

}  // namespace io

CheckpointFiles resolve_checkpoint(const std::string& path) {
  CheckpointFiles files{.file = io::checkpoint_file(path), .kind = FileKind::other, .shards = {}};
  const auto source = io::Source::open(files.file);
  files.kind = io::detect_file_kind(source->bytes());
  const std::string folder = io::folder_of(files.file);
  if (files.kind == FileKind::safetensors_index) {
    for (const io::IndexEntry& entry : io::parse_index(source->bytes()).entries)
      files.shards.push_back(folder + entry.file);
  } else if (files.kind == FileKind::distributed) {
    for (const auto& entry : io::parse_dcp_metadata(source->bytes(), files.file).entries)
      for (const auto& piece : entry.storage) files.shards.push_back(folder + piece.relative_path);
  }
  std::sort(files.shards.begin(), files.shards.end());
  files.shards.erase(std::unique(files.shards.begin(), files.shards.end()), files.shards.end());
  return files;
}

}  // namespace taper
