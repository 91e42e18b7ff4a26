#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "taper/core/warning.h"
#include "taper/data/image.h"
#include "target.h"

namespace taper::fuzz {
namespace {

std::uint32_t read_big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// Corrects the checksums of all complete chunks of a PNG file, so that changes to them reach the
/// decoder.
void correct_checksums(std::string& png) {
  std::size_t at = 8;
  while (png.size() >= at + 12) {
    const std::size_t size = read_big_endian(std::string_view(png).substr(at));
    if (size > png.size() - at - 12) return;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(png.data() + at + 4), static_cast<uInt>(size + 4));
    at += 8 + size;
    for (int shift = 24; shift >= 0; shift -= 8)
      png[at++] = static_cast<char>(checksum >> shift & 255);
  }
}

/// Limits the size of images and suppresses warnings of damaged data.
class DecoderSettings {
 public:
  DecoderSettings() { data::set_max_image_pixels(1 << 20); }
  ~DecoderSettings() {
    data::set_max_image_pixels(pixels_);
    set_warning_handler(warnings_);
  }
  DecoderSettings(const DecoderSettings&) = delete;
  DecoderSettings& operator=(const DecoderSettings&) = delete;

 private:
  std::int64_t pixels_ = data::max_image_pixels();
  SharedFunction<void(const std::string&)> warnings_ = set_warning_handler({});
};

}  // namespace

void image(Bytes input) {
  const DecoderSettings settings;
  std::string file(text_of(input));
  if (file.starts_with("\x89PNG")) correct_checksums(file);
  // The length selects the mode, so that seeds are plain files.
  const auto mode = static_cast<data::ImageReadMode>(file.size() % 5);
  attempt([&] {
    const Tensor pixels = data::decode_image(bytes_of(file), mode, true);
    if (pixels.dim() != 3 || pixels.numel() == 0 || pixels.size(0) > 4)
      throw std::logic_error("finding: an image of shape " + pixels.shape().str());
  });
}

}  // namespace taper::fuzz
