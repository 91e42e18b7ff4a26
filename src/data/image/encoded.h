// Encoded images in memory, and their readers by format.
#pragma once
#include <span>
#include <string>

#include "core/check.h"
#include "data/image/codec_table.h"
#include "data/image/pixels.h"

namespace taper::data {

/// An encoded image with its name in messages: the function, and the path if there is one.
struct EncodedFile {
  std::string name;
  std::span<const unsigned char> bytes;

  /// Throws IoError: "name: problem".
  template <class... A>
  [[noreturn]] void reject(fmt::format_string<FormatArg<A>...> format, const A&... args) const {
    fail<IoError>("{}: {}", name, format_message(format, args...));
  }
  /// Throws IoError unless the size is positive, at most max_image_pixels(), and possible in a file
  /// of this length.
  void check_size(const char* format, std::size_t width, std::size_t height,
                  std::uint64_t min_file_size) const;
};

// Each returns an image as a tensor (C, H, W) with the channels of `mode`. The EXIF orientation is
// applied if `apply_exif_orientation` is set.
Tensor read_jpeg(const EncodedFile& file, ImageReadMode mode, bool apply_exif_orientation);
Tensor read_png(const EncodedFile& file, ImageReadMode mode, bool apply_exif_orientation);
/// Reads a PBM, PGM or PPM image, which has no orientation.
Tensor read_pnm(const EncodedFile& file, ImageReadMode mode, bool apply_exif_orientation);

/// Returns the codecs, loading them on first use. Throws RuntimeError, whose message begins with
/// `name`, if they are not available.
const ImageCodecs& image_codecs(const std::string& name);

/// Returns the contents of a file. Throws IoError, whose message begins with `op`, if it cannot be
/// read.
std::string read_file_bytes(const char* op, const std::string& path);
/// Decodes the contents of a file, as read_image.
Tensor decode_file(const std::string& path, const std::string& bytes, ImageReadMode mode,
                   bool apply_exif_orientation);
/// Creates or replaces a file. Throws IoError, whose message begins with `op`, if it cannot be
/// written.
void write_file_bytes(const char* op, const std::string& path,
                      std::span<const unsigned char> bytes);

}  // namespace taper::data
