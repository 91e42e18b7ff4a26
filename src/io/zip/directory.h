// Where a zip archive's directory is.
#pragma once
#include <cstdint>
#include <span>

namespace taper::io {

struct ZipDirectory {
  std::uint64_t start = 0, size = 0, count = 0;
  const char* damage = nullptr;  ///< what is wrong with it
};

/// Finds the end of the archive and checks what it says against the file.
ZipDirectory find_zip_directory(std::span<const std::byte> file);

}  // namespace taper::io
