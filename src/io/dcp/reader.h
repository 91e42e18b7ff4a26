// DcpReader: reads the tensors and values of a distributed checkpoint.
#pragma once
#include <map>
#include <string>

#include "io/dcp/metadata.h"
#include "io/source.h"
#include "taper/io/load.h"

namespace taper::io {

class DcpReader {
 public:
  /// Reads the metadata of the checkpoint in a folder. Stores a reference to `options`. Throws
  /// LoadError.
  DcpReader(std::string folder, const LoadOptions& options);
  ~DcpReader();
  DcpReader(const DcpReader&) = delete;
  DcpReader& operator=(const DcpReader&) = delete;

  const Metadata& metadata() const { return metadata_; }
  /// Returns the entry of a name; null if there is none.
  const EntryMetadata* find(const std::string& name) const;
  /// Returns the elements of a tensor from `offsets` on, which must be within it, from the pieces
  /// that contain them. Throws LoadError for an invalid piece, and for an element type that the
  /// library does not support.
  Tensor read_tensor(const EntryMetadata& entry, const Shape& offsets, const Shape& sizes);
  /// Returns the value of an entry, which is the whole tensor if it is one.
  Value read(const EntryMetadata& entry);
  /// Throws LoadError with the path of the metadata.
  [[noreturn]] void reject(const std::string& reason) const;

 private:
  Value read_piece(const StorageInfo& piece);
  Tensor read_chunk(const EntryMetadata& entry, std::size_t i);

  std::string folder_;
  const LoadOptions& options_;
  Metadata metadata_;
  std::map<std::string, const EntryMetadata*> by_name_;
  std::map<std::string, Ref<Source>> files_;
};

/// Reads a distributed checkpoint, given the path of its metadata, as the nested state dict.
Value read_distributed_checkpoint(const std::string& path, const LoadOptions& options);

}  // namespace taper::io
