// InputFile: sequential reader of plain and gzip-compressed files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"

struct gzFile_s;

namespace taper::data {

/// Bytes in memory, followed by a zero byte that does not count.
class ByteBuffer {
 public:
  ByteBuffer() { reserve(0); }
  /// Copies `bytes`.
  explicit ByteBuffer(std::string_view bytes);

  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data(), size_}; }
  /// Makes room for `capacity` bytes in total.
  void reserve(std::size_t capacity);
  std::size_t capacity() const { return capacity_; }
  /// Returns the place of the next byte. resize() accounts for bytes that were written there.
  char* end() { return data_.get() + size_; }
  void resize(std::size_t size) { data_.get()[size_ = size] = '\0'; }

 private:
  struct Free {
    void operator()(char* p) const;
  };
  std::unique_ptr<char, Free> data_{};
  std::size_t size_ = 0, capacity_ = 0;
};

/// A file, compressed with gzip or not, that is read from the beginning to the end. Errors are
/// IoErrors that begin with the name of the public function and the path.
class InputFile {
 public:
  /// Opens the file. `reader` is the public function, such as "read_idx".
  InputFile(std::string reader, std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads `count` bytes, less only at the end of the file. Returns the number of bytes.
  std::size_t read(void* to, std::size_t count);
  /// Reads up to `count` bytes. Memory grows with the bytes read, since a `count` that comes from
  /// the file may be wrong.
  std::string read_up_to(std::uint64_t count);
  /// Reads the rest of the file.
  ByteBuffer read_rest();
  const std::string& path() const { return path_; }
  /// Throws IoError with the name of the function and the path.
  template <class... A>
  [[noreturn]] void fail(fmt::format_string<FormatArg<A>...> format, const A&... args) const {
    taper::fail<IoError>("{}: {}: {}", reader_, path_, taper::format_message(format, args...));
  }

 private:
  std::uint64_t size_hint() const;

  std::string reader_, path_;
  gzFile_s* file_ = nullptr;
};

/// Returns the contents of gzip data in memory. Throws ValueError if it is invalid or incomplete.
std::string inflate_gzip(std::string_view compressed);

}  // namespace taper::data
