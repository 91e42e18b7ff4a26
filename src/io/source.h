// Where the bytes of a checkpoint are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

#include "core/storage.h"
#include "taper/core/dtype.h"
#include "taper/core/tensor.h"

namespace taper::io {

/// A mapped file, a stream that was read to its end, or memory of the caller's.
class Source : public ExternalOwner {
 public:
  /// Maps a file, copy-on-write. Throws LoadError for anything but a readable regular file.
  static Ref<Source> open(const std::string& path);
  /// Reads what is left of a stream. Throws IoError if it fails.
  static Ref<Source> from_stream(std::istream& stream);
  /// Memory that is there only while load() runs.
  static Ref<Source> from_memory(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  /// What errors call it: the path, "<stream>", "<bytes>".
  const std::string& name() const { return name_; }
  bool is_file() const { return is_file_; }
  /// Whether tensors may be views of it.
  bool outlives_load() const { return outlives_load_; }
  /// A tensor of one dimension over the bytes themselves, which keeps the source alive.
  Tensor view(std::uint64_t at, std::int64_t count, DType dtype);
  /// Copies bytes out, without leaving pages of a file in this process where there are many.
  virtual void read(std::uint64_t at, std::byte* to, std::size_t bytes);
  /// Ends what only load() needs: no file stays open for as long as a tensor lives.
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
