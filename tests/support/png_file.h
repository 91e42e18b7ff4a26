// png_file: PNG files with given stored samples, written byte by byte.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace taper::test {

/// Color types of PNG.
enum class PngColor : unsigned char { gray = 0, rgb = 2, palette = 3, gray_alpha = 4, rgba = 6 };

struct PngFile {
  std::uint32_t width, height;
  int depth;       ///< bits per sample
  PngColor color;  ///< color type
  /// Bytes of all rows, without filter bytes.
  std::string rows;
  /// Names and contents of the chunks between header and data.
  std::vector<std::pair<std::string, std::string>> chunks{};
};

/// Returns a chunk: length, name, contents and checksum.
std::string png_chunk(const std::string& name, const std::string& contents);
/// Returns the file.
std::string png_file(const PngFile& file);
/// Returns EXIF data, from the byte order on, whose only entry is the orientation.
std::string exif_data(int orientation, bool is_big_endian = true);

}  // namespace taper::test
