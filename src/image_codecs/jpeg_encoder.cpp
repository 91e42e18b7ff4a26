// JPEG encoder: libjpeg.
#include "image_codecs/jpeg_support.h"

namespace taper::data {
namespace {

struct JpegEncoder {
  const ImageRows& image;
  int quality;
  EncodedImage& output;
  JpegErrors errors{};
  jpeg_compress_struct codec{};
  jpeg_destination_mgr destination{};
  JOCTET buffer[1 << 14]{};

  ~JpegEncoder() { jpeg_destroy_compress(&codec); }
};

JpegEncoder& encoder_of(j_compress_ptr codec) {
  return *static_cast<JpegEncoder*>(codec->client_data);
}

void empty_buffer(j_compress_ptr codec) {
  JpegEncoder& e = encoder_of(codec);
  e.destination.next_output_byte = e.buffer;
  e.destination.free_in_buffer = sizeof e.buffer;
}

/// Appends the first `count` bytes of the buffer to the output.
void write_buffer(JpegEncoder& e, std::size_t count) {
  if (!append(e.output, e.buffer, count)) JpegErrors::reject(common(e.codec), "out of memory");
}

// libjpeg ignores `free_in_buffer` here: the whole buffer is full.
boolean write_full_buffer(j_compress_ptr codec) {
  JpegEncoder& e = encoder_of(codec);
  write_buffer(e, sizeof e.buffer);
  empty_buffer(codec);
  return TRUE;
}

void write_rest(j_compress_ptr codec) {
  JpegEncoder& e = encoder_of(codec);
  write_buffer(e, sizeof e.buffer - e.destination.free_in_buffer);
}

void write_image(JpegEncoder& e) {
  jpeg_create_compress(&e.codec);
  e.codec.dest = &e.destination;
  e.codec.image_width = e.image.width;
  e.codec.image_height = e.image.height;
  e.codec.input_components = e.image.channels;
  e.codec.in_color_space = e.image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&e.codec);
  jpeg_set_quality(&e.codec, e.quality, TRUE);
  jpeg_start_compress(&e.codec, TRUE);
  const std::size_t row_size =
      std::size_t{e.image.width} * static_cast<std::size_t>(e.image.channels);
  while (e.codec.next_scanline < e.codec.image_height) {
    // libjpeg does not write to the row.
    JSAMPROW row = const_cast<JSAMPROW>(e.image.bytes + e.codec.next_scanline * row_size);
    jpeg_write_scanlines(&e.codec, &row, 1);
  }
  jpeg_finish_compress(&e.codec);
}

}  // namespace

bool encode_jpeg(const ImageRows& image, int quality, EncodedImage& output, CodecMessage& message) {
  JpegEncoder e{image, quality, output};
  e.codec.err = &e.errors.manager;
  e.codec.client_data = &e;
  e.destination.init_destination = empty_buffer;
  e.destination.empty_output_buffer = write_full_buffer;
  e.destination.term_destination = write_rest;
  if (e.errors.run(e, write_image)) return true;
  message = e.errors.error;
  return false;
}

}  // namespace taper::data
