// Reader of Netpbm files: "P5" or another magic number, the sizes and the maximum value as text,
// then the values.
#include <cctype>

#include "core/check.h"
#include "image_formats.h"

namespace training {
namespace {

class Reader {
 public:
  Reader(std::span<const unsigned char> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}

  [[noreturn]] void reject(const char* what) const {
    taper::fail<taper::IoError>("{}: damaged image: {}", path_, what);
  }
  /// Returns the next decimal number, after skipping whitespace and comments.
  std::size_t number() {
    for (; at_ < bytes_.size() && (std::isspace(bytes_[at_]) || bytes_[at_] == '#'); ++at_)
      if (bytes_[at_] == '#')
        while (at_ + 1 < bytes_.size() && bytes_[at_] != '\n') ++at_;
    std::size_t n = 0, digits = 0;
    for (; at_ < bytes_.size() && std::isdigit(bytes_[at_]) && digits < 9; ++at_, ++digits)
      n = 10 * n + (bytes_[at_] - '0');
    if (digits == 0) reject("expected a number");
    return n;
  }
  /// Skips the single whitespace character after the header.
  void skip() { ++at_; }
  std::size_t byte() {
    if (at_ >= bytes_.size()) reject("truncated file");
    return bytes_[at_++];
  }
  std::size_t left() const { return at_ < bytes_.size() ? bytes_.size() - at_ : 0; }

 private:
  std::span<const unsigned char> bytes_;
  const std::string& path_;
  std::size_t at_ = 2;
};

}  // namespace

Pixels read_pnm(std::span<const unsigned char> bytes, const std::string& path) {
  const bool binary = bytes[1] >= '5';
  Reader in(bytes, path);
  Pixels p;
  p.channels = bytes[1] == '3' || bytes[1] == '6' ? 3 : 1;
  p.width = in.number(), p.height = in.number();
  const std::size_t full = in.number();
  if (p.width == 0 || p.height == 0) in.reject("width and height must be positive");
  if (p.width > kMaxPixels / p.height) in.reject("too many pixels");
  if (full == 0 || full > 65535) in.reject("maximum value must be in [1, 65535]");
  if (binary) in.skip();
  const std::size_t count = p.width * p.height * p.channels;
  if (in.left() < count) in.reject("truncated file");
  p.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t v = !binary ? in.number() : in.byte();
    if (binary && full > 255) v = v << 8 | in.byte();
    if (v > full) in.reject("a value exceeds the maximum value");
    p.values.push_back(static_cast<std::uint8_t>((v * 255 + full / 2) / full));
  }
  return p;
}

}  // namespace training
