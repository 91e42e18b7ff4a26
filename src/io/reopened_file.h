// ReopenedFile: a descriptor of a file that was mapped before.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace taper::io {

/// Identity and size of a file, which may be renamed, replaced or truncated later.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
};

/// Reads a file without its mapping, whose pages cannot be accessed if the file was truncated.
class ReopenedFile {
 public:
  /// Opens the file; returns nullopt if the path does not refer to it any more. Throws IoError,
  /// without the path, if the file cannot be opened.
  static std::optional<ReopenedFile> open(const std::string& path, const FileIdentity& identity);
  ReopenedFile(ReopenedFile&& other) noexcept;
  ReopenedFile& operator=(ReopenedFile&& other) noexcept;
  ~ReopenedFile();

  /// Reads `count` bytes from byte `at` on, less if the file ends before. Returns the number of
  /// bytes. Throws IoError, without the path, if the file cannot be read.
  std::size_t read(std::uint64_t at, std::byte* to, std::size_t count) const;
  /// Throws IoError, without the path, if the file is shorter than before.
  void check_size() const;

 private:
  ReopenedFile(int descriptor, std::uint64_t size) : descriptor_(descriptor), size_(size) {}
  int descriptor_;
  std::uint64_t size_;  // at the time of the mapping
};

}  // namespace taper::io
