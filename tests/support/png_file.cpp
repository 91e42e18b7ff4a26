#include "support/png_file.h"

#include <zlib.h>

#include <algorithm>

namespace taper::test {
namespace {

using namespace std::string_literals;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

}  // namespace

std::string png_chunk(const std::string& name, const std::string& contents) {
  const std::string all = name + contents;
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size()));
  return big_endian(static_cast<std::uint32_t>(contents.size())) + all +
         big_endian(static_cast<std::uint32_t>(checksum));
}

std::string png_file(const PngFile& file) {
  std::string raw;
  // Files with too few rows have rows of one byte.
  const std::size_t row_size = std::max<std::size_t>(1, file.rows.size() / file.height);
  for (std::size_t at = 0; at < file.rows.size(); at += row_size)
    raw += '\0' + file.rows.substr(at, row_size);
  std::string data(compressBound(raw.size()), '\0');
  uLongf size = data.size();
  compress(reinterpret_cast<Bytef*>(data.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  data.resize(size);
  std::string png = "\x89PNG\r\n\x1a\n"s;
  png += png_chunk("IHDR", big_endian(file.width) + big_endian(file.height) +
                               static_cast<char>(file.depth) + static_cast<char>(file.color) +
                               "\0\0\0"s);
  for (const auto& [name, contents] : file.chunks) png += png_chunk(name, contents);
  return png + png_chunk("IDAT", data) + png_chunk("IEND", "");
}

std::string exif_data(int orientation, bool is_big_endian) {
  const auto value = static_cast<char>(orientation);
  if (is_big_endian) return "MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0"s + value + "\0\0\0\0\0\0"s;
  return "II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0"s + value + "\0\0\0\0\0\0\0"s;
}

}  // namespace taper::test
