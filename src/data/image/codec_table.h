// Interface between the library and the image codecs. The codecs are a separate shared library, so
// that programs need libjpeg and libpng only if they read such images or write JPEG.
#pragma once
#include <cstddef>
#include <cstdint>

namespace taper::data {

/// Version of this interface. The library rejects codecs with another version.
inline constexpr std::uint32_t kImageCodecsVersion = 3;
/// Name of the function `const ImageCodecs*()` that the shared library exports.
inline constexpr char kImageCodecsSymbol[] = "taper_image_codecs";

/// Properties of an encoded image.
struct ImageHeader {
  std::uint32_t width = 0, height = 0;
  int channels = 0;  ///< stored channels: 1 (gray or palette), 2, 3, or 4 (RGBA; CMYK in a JPEG)
  int bits = 8;      ///< bits per channel of the decoded image: 8 or 16
  bool is_interlaced = false;           ///< all rows must be read at once
  std::uint64_t min_file_size = 0;      ///< lower bound for the length of a complete file
  const unsigned char* exif = nullptr;  ///< EXIF data from the byte order on; owned by the decoder
  std::size_t exif_size = 0;
};

/// Pixels in rows from top to bottom, with interleaved channels. 16-bit values have the native byte
/// order.
struct ImageRows {
  std::uint32_t width = 0, height = 0;
  int channels = 0, bits = 8;
  const unsigned char* bytes = nullptr;
};

/// Text of an error or a warning, terminated by 0.
struct CodecMessage {
  char text[256] = "";
};

/// Growing output of an encoder.
struct EncodedImage {
  unsigned char* bytes = nullptr;
  std::size_t size = 0, capacity = 0;
};

struct ImageDecoderTable {
  /// Reads the header of the image in `bytes`, which must remain valid until `close`. Returns null
  /// and sets `message` if it is invalid.
  void* (*open)(const unsigned char* bytes, std::size_t size, ImageHeader& header,
                CodecMessage& message);
  /// Decodes the next `count` rows to `rows` with 1 (gray), 2 (gray and alpha), 3 (RGB) or 4 (RGB
  /// and alpha) channels, or with those of the header if `channels` is 0. JPEG supports 0 and,
  /// unless it is CMYK, 1 and 3. Returns false and sets `message` if the image is damaged; the
  /// decoder must then be closed. Otherwise `message` is empty or a warning about the rows so far.
  /// `channels` must be the same in all calls.
  bool (*read)(void* decoder, int channels, unsigned char* rows, std::uint32_t count,
               CodecMessage& message);
  void (*close)(void* decoder);
};

struct ImageCodecs {
  std::uint32_t version;
  ImageDecoderTable jpeg, png;
  /// Encodes an image. Returns false and sets `message` on failure. In both cases, `output` must be
  /// released.
  bool (*encode_jpeg)(const ImageRows& image, int quality, EncodedImage& output,
                      CodecMessage& message);
  void (*release)(EncodedImage& output);
};

}  // namespace taper::data
