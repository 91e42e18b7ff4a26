// Reader of Netpbm files: "P5" or another magic number, the sizes and the maximum value as text,
// then the values.
#include <cctype>

#include "core/check.h"
#include "image_formats.h"

namespace training {
namespace {

class PnmReader {
 public:
  PnmReader(std::span<const unsigned char> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}

  [[noreturn]] void reject(const char* what) const {
    taper::fail<taper::IoError>("{}: damaged image: {}", path_, what);
  }
  /// Returns the next decimal number, after skipping whitespace and comments.
  std::size_t read_number() {
    for (;
         position_ < bytes_.size() && (std::isspace(bytes_[position_]) || bytes_[position_] == '#');
         ++position_)
      if (bytes_[position_] == '#')
        while (position_ + 1 < bytes_.size() && bytes_[position_] != '\n') ++position_;
    std::size_t n = 0, digits = 0;
    for (; position_ < bytes_.size() && std::isdigit(bytes_[position_]) && digits < 9;
         ++position_, ++digits)
      n = 10 * n + (bytes_[position_] - '0');
    if (digits == 0) reject("expected a number");
    return n;
  }
  /// Skips the single whitespace character after the header.
  void skip() { ++position_; }
  std::size_t read_byte() {
    if (position_ >= bytes_.size()) reject("truncated file");
    return bytes_[position_++];
  }
  std::size_t remaining() const {
    return position_ < bytes_.size() ? bytes_.size() - position_ : 0;
  }

 private:
  std::span<const unsigned char> bytes_;
  const std::string& path_;
  std::size_t position_ = 2;
};

}  // namespace

Pixels read_pnm(std::span<const unsigned char> bytes, const std::string& path) {
  const bool binary = bytes[1] >= '5';
  PnmReader in(bytes, path);
  Pixels p;
  p.channels = bytes[1] == '3' || bytes[1] == '6' ? 3 : 1;
  p.width = in.read_number(), p.height = in.read_number();
  const std::size_t max_value = in.read_number();
  if (p.width == 0 || p.height == 0) in.reject("width and height must be positive");
  if (p.width > kMaxPixels / p.height) in.reject("too many pixels");
  if (max_value == 0 || max_value > 65535) in.reject("maximum value must be in [1, 65535]");
  if (binary) in.skip();
  const std::size_t count = p.width * p.height * p.channels;
  if (in.remaining() < count) in.reject("truncated file");
  p.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t v = !binary ? in.read_number() : in.read_byte();
    if (binary && max_value > 255) v = v << 8 | in.read_byte();
    if (v > max_value) in.reject("a value exceeds the maximum value");
    p.values.push_back(static_cast<std::uint8_t>((v * 255 + max_value / 2) / max_value));
  }
  return p;
}

}  // namespace training
