// The table of codecs, and the memory of encoded images.
#include <algorithm>
#include <cstdlib>

#include "image_codecs/codec_functions.h"

namespace taper::data {

bool append(EncodedImage& output, const unsigned char* bytes, std::size_t count) {
  if (count > output.capacity - output.size) {
    const std::size_t capacity = std::max(2 * output.capacity, output.size + count);
    void* const grown = std::realloc(output.bytes, capacity);
    if (!grown) return false;
    output.bytes = static_cast<unsigned char*>(grown);
    output.capacity = capacity;
  }
  std::memcpy(output.bytes + output.size, bytes, count);
  output.size += count;
  return true;
}

namespace {

void release(EncodedImage& output) {
  std::free(output.bytes);
  output = {};
}

}  // namespace
}  // namespace taper::data

extern "C" [[gnu::visibility("default")]] const taper::data::ImageCodecs* taper_image_codecs();

const taper::data::ImageCodecs* taper_image_codecs() {
  using namespace taper::data;
  static const ImageCodecs codecs{kImageCodecsVersion, jpeg_decoder, png_decoder, encode_jpeg,
                                  release};
  return &codecs;
}
