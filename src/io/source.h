#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "core/storage.h"
#include "io/reopened_file.h"
#include "taper/core/dtype.h"
#include "taper/core/tensor.h"

namespace taper::io {

/// Contents of a checkpoint: a mapped file, a stream read to its end, or a caller-owned buffer.
class Source : public ExternalOwner {
 public:
  /// Maps a file copy-on-write. Throws LoadError if it is not a readable regular file.
  static Ref<Source> open(const std::string& path);
  /// Reads the rest of a stream. Throws LoadError if reading fails.
  static Ref<Source> from_stream(std::istream& stream);
  /// Refers to a caller-owned buffer that is valid only until load() returns.
  static Ref<Source> from_memory(std::span<const std::byte> bytes);
  /// Refers to the `length` bytes of `whole` that start at `at`, which must be within it.
  static Ref<Source> slice(const Ref<Source>& whole, std::uint64_t at, std::uint64_t length);

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Returns the name used in error messages: the path, "<stream>" or "<bytes>".
  const std::string& name() const { return name_; }
  bool is_file() const { return is_file_; }
  /// Returns true if the bytes remain valid after load() returns, so that tensors can be views of
  /// them.
  bool outlives_load() const { return outlives_load_; }
  /// Returns a tensor of shape (count) that is a view of the bytes from `at` on and shares
  /// ownership of the source.
  Tensor view(std::uint64_t at, std::int64_t count, DType dtype);
  /// Copies `bytes` bytes that start at `at` to `to`. Large reads of a mapped file do not fault in
  /// its pages; they throw LoadError on an I/O error.
  virtual void read(std::uint64_t at, std::byte* to, std::size_t bytes);
  /// Opens a mapped file again, whose pages cannot be accessed if it was truncated. Returns nullopt
  /// for other sources, and if the path does not refer to the file any more. Throws IoError,
  /// without the path, if the file cannot be opened.
  virtual std::optional<ReopenedFile> reopen() const { return {}; }
  /// Releases the resources that only load() uses, so that a tensor does not keep a file open.
  virtual void close() {}

 protected:
  Source(std::string name, bool is_file, bool outlives_load)
      : name_(std::move(name)), is_file_(is_file), outlives_load_(outlives_load) {}
  std::span<const std::byte> bytes_;

 private:
  std::string name_;
  bool is_file_, outlives_load_;
};

}  // namespace taper::io
