// Location of the directory of a zip archive.
#pragma once
#include <cstdint>
#include <span>

namespace taper::io {

struct ZipDirectory {
  std::uint64_t start = 0, size = 0, count = 0;
  const char* damage = nullptr;  ///< error message; null if the archive is valid
};

/// Finds the end-of-directory record of a zip archive and checks its fields against the file size.
/// Reports a missing or invalid record in `damage`.
ZipDirectory find_zip_directory(std::span<const std::byte> file);

}  // namespace taper::io
