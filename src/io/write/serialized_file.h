// SerializedFile: the validated contents of a file, ready to be written.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/storage.h"
#include "io/write/output.h"
#include "taper/core/value.h"
#include "taper/io/save.h"

namespace taper::io {

/// Part of a file: a string or bytes of a storage.
struct Section {
  std::string name{};  ///< name of the record if the file is a zip archive
  std::string text{};
  Ref<Storage> storage{};
  std::span<const std::byte> bytes{};

  std::span<const std::byte> content() const {
    return storage ? bytes : std::as_bytes(std::span(text));
  }
};

struct SerializedFile {
  std::vector<Section> parts{};
  /// Top-level folder of the records of a zip archive. If unset, the parts are concatenated.
  std::optional<std::string> folder{};

  void write(Output& out) const;
  /// Copies the storages, so that later writes to the tensors do not affect the file.
  void snapshot();
  /// Returns a lower bound of the file size in bytes.
  std::size_t size() const;
};

/// A file and its path.
struct NamedFile {
  std::string path;
  SerializedFile file;
};

SerializedFile zip_file(const Value& value, const std::string& folder);
SerializedFile legacy_file(const Value& value);
SerializedFile safetensors_file(const Value& value, const SaveOptions& options);
/// Returns files with at most `options.max_shard_size` bytes of tensors each, followed by the index
/// that maps tensors to files. Returns a single file named `path` if all tensors fit into one.
std::vector<NamedFile> safetensors_shards(const Value& value, const std::string& path,
                                          const SaveOptions& options);

}  // namespace taper::io
