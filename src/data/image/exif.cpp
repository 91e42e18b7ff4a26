// EXIF data is a TIFF file: the byte order, the number 42, and the offset of a directory with
// entries of 12 bytes: tag, type, number of values, and a value or its offset.
#include <cstring>

#include "data/image/pixels.h"

namespace taper::data {
namespace {

class ExifReader {
 public:
  ExifReader(const unsigned char* bytes, std::size_t size, bool is_big_endian)
      : bytes_(bytes), size_(size), is_big_endian_(is_big_endian) {}

  /// Returns the number of `count` bytes at `offset`; 0 if it is outside of the data.
  std::uint32_t number(std::size_t offset, std::size_t count) const {
    if (offset > size_ || count > size_ - offset) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i)
      value = value << 8 | bytes_[offset + (is_big_endian_ ? i : count - 1 - i)];
    return value;
  }

 private:
  const unsigned char* bytes_;
  std::size_t size_;
  bool is_big_endian_;
};

constexpr std::uint32_t kOrientationTag = 0x112, kShortType = 3;

}  // namespace

int exif_orientation(const unsigned char* exif, std::size_t size) {
  if (size < 8) return 1;
  const bool is_big_endian = std::memcmp(exif, "MM", 2) == 0;
  if (!is_big_endian && std::memcmp(exif, "II", 2) != 0) return 1;
  const ExifReader in(exif, size, is_big_endian);
  if (in.number(2, 2) != 42) return 1;
  const std::size_t directory = in.number(4, 4);
  const std::uint32_t entries = in.number(directory, 2);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (in.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t value = in.number(entry + 8, 2);
    return in.number(entry + 2, 2) == kShortType && value >= 1 && value <= 8
               ? static_cast<int>(value)
               : 1;
  }
  return 1;
}

}  // namespace taper::data
