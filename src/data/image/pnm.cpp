// Netpbm files: "P1" to "P6", the sizes and the maximum value as text, then the values: one bit in
// PBM, one or two bytes with the most significant byte first in PGM and PPM, or text.
#include <cmath>
#include <limits>

#include "data/image/encoded.h"

namespace taper::data {
namespace {

class PnmReader {
 public:
  explicit PnmReader(const EncodedFile& file) : file_(file), bytes_(file.bytes) {}

  [[noreturn]] void reject(const char* problem) const {
    file_.reject("damaged PNM image: {}", problem);
  }
  std::size_t remaining() const { return bytes_.size() - position_; }

  /// Returns the next decimal number, after white space and comments.
  std::uint32_t read_number() {
    skip_space();
    std::uint32_t value = 0;
    std::size_t digits = 0;
    for (; remaining() && is_digit(bytes_[position_]); ++position_, ++digits) {
      if (digits == 9) reject("a number has more than 9 digits");
      value = 10 * value + (bytes_[position_] - '0');
    }
    if (digits == 0) reject(remaining() ? "expected a number" : "truncated data");
    if (remaining() && !is_space(bytes_[position_]) && bytes_[position_] != '#')
      reject("expected a number");
    return value;
  }
  /// Returns the next character that is not white space or a comment.
  unsigned char read_character() {
    skip_space();
    return read_byte();
  }
  unsigned char read_byte() {
    if (!remaining()) reject("truncated data");
    return bytes_[position_++];
  }
  /// Skips the white-space character after the header.
  void end_header() {
    if (remaining() && bytes_[position_] == '#') skip_comment();
    read_byte();
  }

 private:
  static bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
  static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  void skip_comment() {
    while (remaining() && bytes_[position_] != '\n' && bytes_[position_] != '\r') ++position_;
  }
  void skip_space() {
    while (remaining() && (is_space(bytes_[position_]) || bytes_[position_] == '#'))
      if (bytes_[position_] == '#')
        skip_comment();
      else
        ++position_;
  }

  const EncodedFile& file_;
  std::span<const unsigned char> bytes_;
  std::size_t position_ = 2;
};

/// Reads the bits of a PBM, in which 1 is black.
void read_bits(PnmReader& in, bool is_text, Pixels& p) {
  unsigned char* to = p.bytes;
  for (std::size_t y = 0; y < p.height; ++y) {
    unsigned bits = 0;
    for (std::size_t x = 0; x < p.width; ++x) {
      if (is_text) {
        const unsigned char c = in.read_character();
        if (c != '0' && c != '1') in.reject("expected 0 or 1");
        bits = c == '1' ? 0x80 : 0;
      } else {
        bits = x % 8 == 0 ? in.read_byte() : bits << 1;
      }
      *to++ = bits & 0x80 ? 0 : 255;
    }
  }
}

/// Reads the values of a PGM or PPM, scaled to the range of T.
template <class T>
void read_values(PnmReader& in, bool is_text, std::uint32_t max_value, T* to, std::size_t count) {
  constexpr double kMax = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t value = is_text ? in.read_number() : in.read_byte();
    if (!is_text && sizeof(T) == 2) value = value << 8 | in.read_byte();
    if (value > max_value) in.reject("a value exceeds the maximum value");
    to[i] = static_cast<T>(std::nearbyint(value / static_cast<double>(max_value) * kMax));
  }
}

}  // namespace

Tensor read_pnm(const EncodedFile& file, ImageReadMode mode, bool /*apply_exif_orientation*/) {
  const unsigned char kind = file.bytes[1];
  const bool is_text = kind <= '3', is_bitmap = kind == '1' || kind == '4';
  PnmReader in(file);
  Pixels p;
  p.width = in.read_number();
  p.height = in.read_number();
  const std::uint32_t max_value = is_bitmap ? 1 : in.read_number();
  if (max_value == 0 || max_value > 65535) in.reject("the maximum value must be in [1, 65535]");
  p.channels = kind == '3' || kind == '6' ? 3 : 1;
  p.bits = max_value > 255 ? 16 : 8;
  in.end_header();
  // Sizes have at most 9 digits, so these products do not overflow.
  const std::uint64_t bits_per_value = is_text ? (is_bitmap ? 8 : 16) : is_bitmap ? 1 : p.bits;
  const std::uint64_t row_bits = p.width * p.channels * bits_per_value;
  const std::uint64_t needed = (row_bits + 7) / 8 * p.height;
  // The last number of a text needs no white space after it.
  file.check_size("PNM", p.width, p.height,
                  file.bytes.size() - in.remaining() + needed - (is_text && needed ? 1 : 0));
  p.allocate();
  const std::size_t count = p.area() * p.channels;
  if (is_bitmap)
    read_bits(in, is_text, p);
  else if (p.bits == 8)
    read_values(in, is_text, max_value, p.bytes, count);
  else
    read_values(in, is_text, max_value, reinterpret_cast<std::uint16_t*>(p.bytes), count);
  const Pixels converted = convert_channels(std::move(p), mode);
  PlaneWriter writer(converted);
  writer.write(converted);
  return writer.tensor();
}

}  // namespace taper::data
