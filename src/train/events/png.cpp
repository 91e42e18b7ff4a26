// PNG files: chunks with a name and a checksum, of which IDAT contains the compressed rows.
#include <zlib.h>

#include <new>
#include <string_view>

#include "core/check.h"
#include "train/events/media.h"

namespace taper::train::events {
namespace {

constexpr unsigned char kColorTypes[] = {0, 0, 4, 2, 6};  // by number of channels
constexpr char kSubFilter = 1;  // bytes are differences from those of the pixel before

void append_big_endian(std::string& bytes, std::uint64_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
}

void append_chunk(std::string& file, std::string_view name, std::string_view data) {
  append_big_endian(file, data.size());
  const std::size_t start = file.size();
  file += name;
  file += data;
  append_big_endian(
      file, ::crc32_z(0, reinterpret_cast<const Bytef*>(file.data() + start), file.size() - start));
}

std::string compress_rows(const std::string& rows) {
  ::uLongf size = ::compressBound(rows.size());
  std::string compressed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                  reinterpret_cast<const Bytef*>(rows.data()), rows.size(),
                  Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  compressed.resize(size);
  return compressed;
}

}  // namespace

std::string encode_png(std::span<const std::uint8_t> pixels, std::int64_t height,
                       std::int64_t width, std::int64_t channels) {
  const auto pixel_size = static_cast<std::size_t>(channels),
             row_size = static_cast<std::size_t>(width) * pixel_size;
  std::string rows;
  rows.reserve((row_size + 1) * static_cast<std::size_t>(height));
  for (std::size_t at = 0; at < pixels.size(); at += row_size) {
    rows += kSubFilter;
    for (std::size_t i = 0; i < row_size; ++i) {
      const int before = i < pixel_size ? 0 : pixels[at + i - pixel_size];
      rows += static_cast<char>(pixels[at + i] - before);
    }
  }
  std::string header;
  append_big_endian(header, static_cast<std::uint64_t>(width));
  append_big_endian(header, static_cast<std::uint64_t>(height));
  header += '\x08';  // bits per channel
  header += static_cast<char>(kColorTypes[channels]);
  header += std::string(3, '\0');  // compression, filters, no interlacing
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", compress_rows(rows));
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace taper::train::events
