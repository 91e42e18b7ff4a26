#include "io/zip/directory.h"

#include <cstring>

namespace taper::io {
namespace {

constexpr std::uint64_t kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;

}  // namespace

ZipDirectory find_zip_directory(std::span<const std::byte> file) {
  const auto read_uint = [&](std::uint64_t at, std::size_t bytes) {
    std::uint64_t v = 0;
    std::memcpy(&v, file.data() + at, bytes);
    return v;
  };
  const auto damaged = [](const char* how) { return ZipDirectory{0, 0, 0, how}; };
  if (file.size() < 22) return damaged("the zip archive is truncated: missing directory");
  std::uint64_t at = file.size() - 22;
  // The end record is followed by a comment of at most 65535 bytes.
  const std::uint64_t stop = at > 65535 ? at - 65535 : 0;
  while (read_uint(at, 4) != kEnd || at + 22 + read_uint(at + 20, 2) != file.size()) {
    if (at == stop) return damaged("the zip archive is truncated or damaged: missing directory");
    --at;
  }
  if (read_uint(at + 4, 2) != 0 || read_uint(at + 6, 2) != 0)
    return damaged("multi-part zip archives are not supported");
  ZipDirectory d{read_uint(at + 16, 4), read_uint(at + 12, 4), read_uint(at + 10, 2)};
  std::uint64_t end = at;
  if (at >= 20 && read_uint(at - 20, 4) == kLocator64) {
    const std::uint64_t wide = read_uint(at - 12, 8);
    if (wide > file.size() || file.size() - wide < 56 || read_uint(wide, 4) != kEnd64)
      return damaged("the zip64 directory record is not at the recorded offset");
    d = {read_uint(wide + 48, 8), read_uint(wide + 40, 8), read_uint(wide + 32, 8)};
    end = wide;
  }
  if (d.start > end || d.size > end - d.start) return damaged("the zip directory is out of bounds");
  if (d.count > d.size / 46)
    return damaged("the zip directory is too small for its number of entries");
  return d;
}

}  // namespace taper::io
