#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "core/check.h"
#include "image_formats.h"

namespace training {
namespace {

struct PngSource {
  std::span<const unsigned char> remaining;
  char message[160] = "";
};

void on_error(png_structp png, png_const_charp message) {
  auto& source = *static_cast<PngSource*>(png_get_error_ptr(png));
  std::strncpy(source.message, message, sizeof source.message - 1);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& remaining = static_cast<PngSource*>(png_get_io_ptr(png))->remaining;
  if (count > remaining.size()) png_error(png, "truncated file");
  std::memcpy(to, remaining.data(), count);
  remaining = remaining.subspan(count);
}

/// Objects allocated by libpng, freed on destruction.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

/// Reads the header and configures the decoder to produce 8-bit gray or RGB pixels with an alpha
/// channel. Returns false if libpng reports an error or the image has more than `limit` pixels.
/// libpng reports errors with longjmp to the setjmp of this function or of read_rows, so their
/// frames must not contain objects with destructors.
bool read_header(Decoder& d, Pixels& p, std::size_t limit) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  png_set_user_limits(d.png, 1u << 20, 1u << 20);
  png_read_info(d.png, d.info);
  p.width = png_get_image_width(d.png, d.info);
  p.height = png_get_image_height(d.png, d.info);
  if (p.width > limit / p.height) png_error(d.png, "too many pixels");
  png_set_expand(d.png);
  png_set_scale_16(d.png);
  png_set_add_alpha(d.png, 0xff, PNG_FILLER_AFTER);
  png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  return true;
}

bool read_rows(Decoder& d, png_bytep* rows) {
  if (setjmp(png_jmpbuf(d.png))) return false;
  png_read_image(d.png, rows);
  return true;
}

}  // namespace

Pixels read_png(std::span<const unsigned char> bytes, const std::string& path) {
  PngSource source{bytes};
  Decoder d;
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
  if (d.png) d.info = png_create_info_struct(d.png);
  if (!d.info) throw std::bad_alloc();
  png_set_read_fn(d.png, &source, read_bytes);
  const auto throw_damaged = [&] {
    taper::fail<taper::IoError>("{}: damaged PNG image: {}", path, source.message);
  };
  Pixels p;
  if (!read_header(d, p, kMaxPixels)) throw_damaged();
  const std::size_t row = png_get_rowbytes(d.png, d.info),
                    channels_in_file = png_get_channels(d.png, d.info);
  std::vector<std::uint8_t> all(row * p.height);
  std::vector<png_bytep> rows(p.height);
  for (std::size_t y = 0; y < p.height; ++y) rows[y] = all.data() + y * row;
  if (!read_rows(d, rows.data())) throw_damaged();
  p.channels = channels_in_file - 1;
  p.values.reserve(p.width * p.height * p.channels);
  for (std::size_t i = 0; i < p.width * p.height; ++i) {
    const std::uint8_t* const pixel = all.data() + i * channels_in_file;
    const unsigned opacity = pixel[p.channels];
    for (std::size_t c = 0; c < p.channels; ++c)
      p.values.push_back(static_cast<std::uint8_t>((pixel[c] * opacity + 127) / 255));
  }
  return p;
}

}  // namespace training
