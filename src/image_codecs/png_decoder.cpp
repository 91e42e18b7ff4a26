// PNG decoder: libpng, whose transformations produce the channels.
#include <png.h>

#include <bit>
#include <csetjmp>
#include <new>

#include "image_codecs/codec_functions.h"

namespace taper::data {
namespace {

struct PngDecoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const unsigned char* next = nullptr;
  std::size_t remaining = 0;
  CodecMessage* message = nullptr;
  ImageHeader header{};
  int color = 0;
  bool is_started = false;
  int passes = 1;
  std::uint32_t next_row = 0;
  // Arguments of read_rows.
  int channels = 0;
  unsigned char* rows = nullptr;
  std::uint32_t count = 0;

  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp text) {
  set_message(*static_cast<PngDecoder*>(png_get_error_ptr(png))->message, text);
  png_longjmp(png, 1);
}
// Warnings are about chunks that do not affect the pixels.
void on_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& d = *static_cast<PngDecoder*>(png_get_io_ptr(png));
  if (count > d.remaining) png_error(png, "truncated data");
  std::memcpy(to, d.next, count);
  d.next += count;
  d.remaining -= count;
}

void read_header(PngDecoder& d) {
  png_set_read_fn(d.png, &d, read_bytes);
  png_read_info(d.png, d.info);
  ImageHeader& h = d.header;
  h.width = png_get_image_width(d.png, d.info);
  h.height = png_get_image_height(d.png, d.info);
  h.channels = png_get_channels(d.png, d.info);
  h.bits = png_get_bit_depth(d.png, d.info) == 16 ? 16 : 8;
  h.is_interlaced = png_get_interlace_type(d.png, d.info) != PNG_INTERLACE_NONE;
  d.color = png_get_color_type(d.png, d.info);
  // Each bit of deflated data yields at most 129 bytes: 258 bytes need a length and a distance of
  // one bit each.
  const std::uint64_t row_size = png_get_rowbytes(d.png, d.info) + 1;
  h.min_file_size = row_size * h.height / (8 * 129);
  png_uint_32 exif_size = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(d.png, d.info, &exif_size, &exif)) h.exif = exif, h.exif_size = exif_size;
}

/// Selects the transformations that produce the requested channels.
void convert_channels(PngDecoder& d) {
  const bool has_palette = d.color == PNG_COLOR_TYPE_PALETTE;
  const bool has_color = (d.color & PNG_COLOR_MASK_COLOR) != 0;
  const bool has_transparent_color = png_get_valid(d.png, d.info, PNG_INFO_tRNS) != 0;
  if (d.color == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(d.png);
  if (d.channels == 0) return png_set_packing(d.png);
  const bool needs_color = d.channels >= 3, needs_alpha = d.channels % 2 == 0;
  bool has_alpha = (d.color & PNG_COLOR_MASK_ALPHA) != 0;
  if (has_palette) {
    png_set_palette_to_rgb(d.png);
    has_alpha = has_transparent_color;
  } else if (has_transparent_color && needs_alpha) {
    png_set_tRNS_to_alpha(d.png);
    has_alpha = true;
  }
  if (needs_alpha && !has_alpha)
    png_set_add_alpha(d.png, d.header.bits == 16 ? 0xffff : 0xff, PNG_FILLER_AFTER);
  if (!needs_alpha && has_alpha) png_set_strip_alpha(d.png);
  if (needs_color && !has_color) png_set_gray_to_rgb(d.png);
  if (!needs_color && has_color) png_set_rgb_to_gray(d.png, PNG_ERROR_ACTION_NONE, 0.2989, 0.587);
}

std::size_t row_size(const PngDecoder& d) {
  const int channels = d.channels ? d.channels : d.header.channels;
  return std::size_t{d.header.width} * static_cast<std::size_t>(channels * d.header.bits / 8);
}

void start(PngDecoder& d) {
  convert_channels(d);
  if (d.header.bits == 16 && std::endian::native == std::endian::little) png_set_swap(d.png);
  d.passes = png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  if (png_get_rowbytes(d.png, d.info) != row_size(d)) png_error(d.png, "unexpected size of rows");
  d.is_started = true;
}

void read_rows(PngDecoder& d) {
  if (!d.is_started) start(d);
  for (int pass = 0; pass < d.passes; ++pass)
    for (std::uint32_t i = 0; i < d.count; ++i)
      png_read_row(d.png, d.rows + i * row_size(d), nullptr);
  d.next_row += d.count;
  if (d.next_row == d.header.height) png_read_end(d.png, nullptr);
}

/// Calls `body`. Returns false if libpng reports an error.
bool run(PngDecoder& d, CodecMessage& message, void (*body)(PngDecoder&)) {
  d.message = &message;
  if (setjmp(png_jmpbuf(d.png))) return false;
  body(d);
  return true;
}

void close(void* decoder) { delete static_cast<PngDecoder*>(decoder); }

void* open(const unsigned char* bytes, std::size_t size, ImageHeader& header,
           CodecMessage& message) {
  auto* const d = new (std::nothrow) PngDecoder;
  if (d) {
    d->next = bytes;
    d->remaining = size;
    d->message = &message;
    d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
    if (d->png) d->info = png_create_info_struct(d->png);
  }
  if (!d || !d->info) {
    set_message(message, "out of memory");
  } else if (run(*d, message, read_header)) {
    header = d->header;
    return d;
  }
  close(d);
  return nullptr;
}

bool read(void* decoder, int channels, unsigned char* rows, std::uint32_t count,
          CodecMessage& message) {
  auto& d = *static_cast<PngDecoder*>(decoder);
  d.channels = channels;
  d.rows = rows;
  d.count = count;
  return run(d, message, read_rows);
}

}  // namespace

const ImageDecoderTable png_decoder{open, read, close};

}  // namespace taper::data
