// A file that is ready to be written: whatever could be refused was.
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

/// A text, or bytes that a storage holds.
struct Section {
  std::string name{};  ///< of a record in a zip archive
  std::string text{};
  Ref<Storage> storage{};
  std::span<const std::byte> bytes{};

  std::span<const std::byte> content() const {
    return storage ? bytes : std::as_bytes(std::span(text));
  }
};

struct SerializedFile {
  std::vector<Section> parts{};
  /// Of a zip archive: the folder that all records lie in. Else the parts follow each other.
  std::optional<std::string> folder{};

  void write(Output& out) const;
  /// Copies the storages: their tensors may be written to from here on.
  void snapshot();
  /// At least so many bytes.
  std::size_t size() const;
};

/// A document and the path where it belongs.
struct NamedFile {
  std::string path;
  SerializedFile file;
};

SerializedFile zip_file(const Value& value, const std::string& folder);
SerializedFile legacy_file(const Value& value);
SerializedFile safetensors_file(const Value& value, const SaveOptions& options);
/// Files of at most `options.max_shard_size` bytes of tensors, and last the index that says which
/// tensor lies in which; one file under the path itself if all fit into it.
std::vector<NamedFile> safetensors_shards(const Value& value, const std::string& path,
                                          const SaveOptions& options);

}  // namespace taper::io
