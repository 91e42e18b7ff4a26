// PNG files: chunks with a name and a checksum, of which IDAT contains the compressed rows. PNG
// Specification, Third Edition (W3C).
#include "data/image/png_writer.h"

#include <zlib.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <new>
#include <string_view>
#include <vector>

namespace taper::data {
namespace {

constexpr char kColorTypes[] = {0, 4, 2, 6};  // by number of channels - 1

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

std::string compress(const std::string& rows, int level) {
  ::uLongf size = ::compressBound(rows.size());
  std::string compressed(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                  reinterpret_cast<const Bytef*>(rows.data()), rows.size(), level) != Z_OK)
    throw std::bad_alloc();
  compressed.resize(size);
  return compressed;
}

using Row = std::vector<unsigned char>;

/// Returns byte `i` of a row as filter `kind` stores it: its difference from a prediction.
unsigned char filtered(int kind, const Row& row, const Row& above, std::size_t i,
                       std::size_t pixel_size) {
  const int left = i < pixel_size ? 0 : row[i - pixel_size], up = above[i];
  const int corner = i < pixel_size ? 0 : above[i - pixel_size];
  int prediction = 0;
  if (kind == 1) prediction = left;
  if (kind == 2) prediction = up;
  if (kind == 3) prediction = (left + up) / 2;
  if (kind == 4) {  // the neighbor nearest to left + up - corner
    const int from_left = std::abs(up - corner), from_up = std::abs(left - corner),
              from_corner = std::abs(left + up - 2 * corner);
    prediction = from_left <= from_up && from_left <= from_corner ? left
                 : from_up <= from_corner                         ? up
                                                                  : corner;
  }
  return static_cast<unsigned char>(row[i] - prediction);
}

/// Appends a row with the filter whose bytes have the smallest sum as signed numbers, which
/// compress best as a rule (section 12.7 of the specification).
/// `candidates` is scratch memory, a row per filter.
void append_row(std::string& rows, const Row& row, const Row& above, std::size_t pixel_size,
                std::array<Row, 5>& candidates) {
  std::size_t best = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t kind = 0; kind < candidates.size(); ++kind) {
    candidates[kind].resize(row.size());
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const unsigned char byte = filtered(static_cast<int>(kind), row, above, i, pixel_size);
      candidates[kind][i] = byte;
      total += byte < 128 ? byte : 256u - byte;
    }
    if (total < least) least = total, best = kind;
  }
  rows += static_cast<char>(best);
  rows.append(candidates[best].begin(), candidates[best].end());
}

std::string filtered_rows(const ImageRows& image) {
  const std::size_t pixel_size = static_cast<std::size_t>(image.channels * image.bits / 8),
                    row_size = image.width * pixel_size;
  const bool swaps = image.bits == 16 && std::endian::native == std::endian::little;
  Row above(row_size), row(row_size);
  std::array<Row, 5> candidates;
  std::string rows;
  rows.reserve((row_size + 1) * image.height);
  for (std::size_t y = 0; y < image.height; ++y) {
    const unsigned char* const from = image.bytes + y * row_size;
    for (std::size_t i = 0; i < row_size; ++i) row[i] = from[swaps ? i ^ 1 : i];
    append_row(rows, row, above, pixel_size, candidates);
    above.swap(row);
  }
  return rows;
}

}  // namespace

std::string png_file(const ImageRows& image, int compression_level) {
  std::string header;
  append_big_endian(header, image.width);
  append_big_endian(header, image.height);
  header += static_cast<char>(image.bits);
  header += kColorTypes[image.channels - 1];
  header += std::string(3, '\0');  // compression, filters, no interlacing
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", compress(filtered_rows(image), compression_level));
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace taper::data
