// JPEG decoder: libjpeg with the accurate integer transform and smooth upsampling of chroma, its
// defaults.
#include <new>

#include "image_codecs/jpeg_support.h"

namespace taper::data {
namespace {

struct JpegDecoder {
  JpegErrors errors{};
  jpeg_decompress_struct codec{};
  jpeg_source_mgr source{};
  jpeg_progress_mgr progress{};
  ImageHeader header{};
  bool is_started = false;
  // Arguments of read_rows.
  int channels = 0;
  unsigned char* rows = nullptr;
  std::uint32_t count = 0;

  ~JpegDecoder() { jpeg_destroy_decompress(&codec); }
};

// A scan of a progressive image may be empty but takes as long as decoding, so a small file with
// many scans would take minutes. Encoders write about ten.
constexpr int kMaxScans = 200;

[[noreturn]] boolean reject_truncated(j_decompress_ptr codec) {
  JpegErrors::reject(reinterpret_cast<j_common_ptr>(codec), "truncated data");
}

void skip_bytes(j_decompress_ptr codec, long count) {
  if (count <= 0) return;
  const auto bytes = static_cast<std::size_t>(count);
  if (bytes > codec->src->bytes_in_buffer) reject_truncated(codec);
  codec->src->next_input_byte += bytes;
  codec->src->bytes_in_buffer -= bytes;
}

void limit_scans(j_common_ptr codec) {
  if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > kMaxScans)
    JpegErrors::reject(codec, "too many scans");
}

/// Returns a lower bound for the length of an image with these components.
std::uint64_t min_file_size(const jpeg_decompress_struct& codec) {
  std::uint64_t blocks = 0;
  for (int i = 0; i < codec.num_components; ++i)
    blocks +=
        std::uint64_t{codec.comp_info[i].width_in_blocks} * codec.comp_info[i].height_in_blocks;
  // A Huffman code has at least one bit. Arithmetic codes may be much shorter.
  return blocks / (codec.arith_code ? 512 : 8);
}

void find_exif(const jpeg_decompress_struct& codec, ImageHeader& header) {
  constexpr char kPrefix[] = "Exif\0";
  for (auto* marker = codec.marker_list; marker; marker = marker->next)
    if (marker->data_length > sizeof kPrefix &&
        std::memcmp(marker->data, kPrefix, sizeof kPrefix) == 0) {
      header.exif = marker->data + sizeof kPrefix;
      header.exif_size = marker->data_length - sizeof kPrefix;
      return;
    }
}

void read_header(JpegDecoder& d) {
  jpeg_create_decompress(&d.codec);
  d.codec.src = &d.source;
  d.codec.progress = &d.progress;
  jpeg_save_markers(&d.codec, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&d.codec, TRUE);
  const int components = d.codec.num_components;
  if (components != 1 && components != 3 && components != 4)
    JpegErrors::reject(common(d.codec), "unsupported number of components");
  d.header.width = d.codec.image_width;
  d.header.height = d.codec.image_height;
  d.header.channels = components;
  d.header.min_file_size = min_file_size(d.codec);
  find_exif(d.codec, d.header);
}

int output_channels(const JpegDecoder& d) { return d.channels ? d.channels : d.header.channels; }

void start(JpegDecoder& d) {
  if (d.channels) d.codec.out_color_space = d.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&d.codec);
  if (d.codec.output_width != d.header.width || d.codec.output_components != output_channels(d))
    JpegErrors::reject(common(d.codec), "unexpected size of rows");
  d.is_started = true;
}

void read_rows(JpegDecoder& d) {
  if (!d.is_started) start(d);
  const std::size_t row_size =
      std::size_t{d.header.width} * static_cast<std::size_t>(output_channels(d));
  for (std::uint32_t i = 0; i < d.count; ++i) {
    JSAMPROW row = d.rows + i * row_size;
    jpeg_read_scanlines(&d.codec, &row, 1);
  }
  if (d.codec.output_scanline == d.codec.output_height) jpeg_finish_decompress(&d.codec);
}

void close(void* decoder) { delete static_cast<JpegDecoder*>(decoder); }

void* open(const unsigned char* bytes, std::size_t size, ImageHeader& header,
           CodecMessage& message) {
  auto* const d = new (std::nothrow) JpegDecoder;
  if (!d) {
    set_message(message, "out of memory");
    return nullptr;
  }
  d->codec.err = &d->errors.manager;
  d->progress.progress_monitor = limit_scans;
  d->source.next_input_byte = bytes;
  d->source.bytes_in_buffer = size;
  d->source.init_source = [](j_decompress_ptr) {};
  d->source.fill_input_buffer = reject_truncated;
  d->source.skip_input_data = skip_bytes;
  d->source.resync_to_restart = jpeg_resync_to_restart;
  d->source.term_source = [](j_decompress_ptr) {};
  if (d->errors.run(*d, read_header)) {
    header = d->header;
    return d;
  }
  message = d->errors.error;
  close(d);
  return nullptr;
}

bool read(void* decoder, int channels, unsigned char* rows, std::uint32_t count,
          CodecMessage& message) {
  auto& d = *static_cast<JpegDecoder*>(decoder);
  d.channels = channels;
  d.rows = rows;
  d.count = count;
  const bool done = d.errors.run(d, read_rows);
  message = done ? d.errors.warning : d.errors.error;
  return done;
}

}  // namespace

const ImageDecoderTable jpeg_decoder{open, read, close};

}  // namespace taper::data
