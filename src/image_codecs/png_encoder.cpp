// PNG encoder: libpng.
#include <png.h>

#include <bit>
#include <csetjmp>

#include "image_codecs/codec_functions.h"

namespace taper::data {
namespace {

struct PngEncoder {
  const ImageRows& image;
  int compression_level;
  EncodedImage& output;
  CodecMessage& message;
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~PngEncoder() { png_destroy_write_struct(&png, &info); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
  set_message(static_cast<PngEncoder*>(png_get_error_ptr(png))->message, text);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  if (!append(static_cast<PngEncoder*>(png_get_io_ptr(png))->output, bytes, count))
    png_error(png, "out of memory");
}
void flush(png_structp) {}

void write_image(PngEncoder& e) {
  constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_write_fn(e.png, &e, write_bytes, flush);
  png_set_IHDR(e.png, e.info, e.image.width, e.image.height, e.image.bits,
               kColorTypes[e.image.channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(e.png, e.compression_level);
  png_write_info(e.png, e.info);
  if (e.image.bits == 16 && std::endian::native == std::endian::little) png_set_swap(e.png);
  const std::size_t row_size = png_get_rowbytes(e.png, e.info);
  for (std::size_t y = 0; y < e.image.height; ++y)
    png_write_row(e.png, e.image.bytes + y * row_size);
  png_write_end(e.png, nullptr);
}

bool run(PngEncoder& e) {
  if (setjmp(png_jmpbuf(e.png))) return false;
  write_image(e);
  return true;
}

}  // namespace

bool encode_png(const ImageRows& image, int compression_level, EncodedImage& output,
                CodecMessage& message) {
  PngEncoder e{image, compression_level, output, message};
  e.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &e, on_error, on_warning);
  if (e.png) e.info = png_create_info_struct(e.png);
  if (e.info) return run(e);
  set_message(message, "out of memory");
  return false;
}

}  // namespace taper::data
