// Reading and writing of image files: JPEG, PNG and PNM. PyTorch: torchvision.io.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace data {

/// Channels of a decoded image. PyTorch: torchvision.io.ImageReadMode.
enum class ImageReadMode : unsigned char {
  unchanged,   ///< as stored: 1 (gray, or the indices of a palette), 2, 3, or 4 (RGBA or CMYK)
  gray,        ///< 1 channel
  gray_alpha,  ///< 2 channels
  rgb,         ///< 3 channels
  rgb_alpha,   ///< 4 channels
};

/// Decodes an image to a tensor (C, H, W). The format is detected from the contents: JPEG, PNG, or
/// PNM (textual and binary PBM, PGM and PPM).
///
/// Elements are u8 in [0, 255]. They are u16 in [0, 65535] if the file stores 16 bits per channel,
/// or is a PGM or PPM with a maximum value above 255. Smaller ranges are scaled to the full range.
///
/// The channels are converted to `mode`:
/// - An alpha channel is opaque unless the file stores transparency (an alpha channel, or a
///   transparent color or palette entry of a PNG). It is dropped by modes without alpha.
/// - The gray value of a PNG pixel is 0.2989 r + 0.587 g + 0.114 b, computed by libpng. That of a
///   JPEG is the stored luminance. That of a PPM and of CMYK is 0.299 r + 0.587 g + 0.114 b.
/// - CMYK (inverted, as Adobe stores it) is converted to RGB by k - round(k * (255 - c) / 255).
///
/// If `apply_exif_orientation` is true, the image is flipped and rotated as the EXIF data of a JPEG
/// or PNG specifies.
///
/// Throws IoError naming the format and the problem if the data is damaged or truncated, has
/// another format, declares more pixels than data of its length can contain, or exceeds
/// max_image_pixels(). Errors in the compressed data of a JPEG that do not prevent decoding are
/// reported by warn(). JPEG and PNG need the image codecs, a shared library that is loaded on first
/// use; throws RuntimeError if it cannot be loaded. Thread-safe.
/// PyTorch: torchvision.io.decode_image.
Tensor decode_image(std::span<const std::byte> input, ImageReadMode mode = ImageReadMode::unchanged,
                    bool apply_exif_orientation = false);
/// As `decode_image(bytes)`, for the bytes in a u8 tensor of one dimension.
Tensor decode_image(const Tensor& input, ImageReadMode mode = ImageReadMode::unchanged,
                    bool apply_exif_orientation = false);
/// As `decode_image`, for one format. PyTorch: torchvision.io.decode_jpeg, decode_png.
Tensor decode_jpeg(std::span<const std::byte> input, ImageReadMode mode = ImageReadMode::unchanged,
                   bool apply_exif_orientation = false);
Tensor decode_jpeg(const Tensor& input, ImageReadMode mode = ImageReadMode::unchanged,
                   bool apply_exif_orientation = false);
Tensor decode_png(std::span<const std::byte> input, ImageReadMode mode = ImageReadMode::unchanged,
                  bool apply_exif_orientation = false);
Tensor decode_png(const Tensor& input, ImageReadMode mode = ImageReadMode::unchanged,
                  bool apply_exif_orientation = false);
/// Reads and decodes an image file, as `decode_image`. Messages contain the path.
/// PyTorch: torchvision.io.read_image.
Tensor read_image(const std::string& path, ImageReadMode mode = ImageReadMode::unchanged,
                  bool apply_exif_orientation = false);

/// Encodes a u8 image (C, H, W) with 1 (gray) or 3 (RGB) channels as JPEG with a quality from 1 to
/// 100, and returns the bytes as a u8 tensor of one dimension. Throws DTypeError, ShapeError or
/// ValueError for another image or quality. PyTorch: torchvision.io.encode_jpeg.
Tensor encode_jpeg(const Tensor& input, IntArg quality = 75);
/// Encodes a u8 or u16 image (C, H, W) with 1 to 4 channels (gray, gray and alpha, RGB, RGB and
/// alpha) as PNG with a compression level from 0 to 9, and returns the bytes as a u8 tensor of one
/// dimension. Throws DTypeError, ShapeError or ValueError for another image or level.
/// PyTorch: torchvision.io.encode_png.
Tensor encode_png(const Tensor& input, IntArg compression_level = 6);
/// Encode an image and write it to a file, which is created or replaced. Throw the errors of the
/// encoders before the file is opened, and IoError if it cannot be written.
/// PyTorch: torchvision.io.write_jpeg, write_png.
void write_jpeg(const Tensor& input, const std::string& filename, IntArg quality = 75);
void write_png(const Tensor& input, const std::string& filename, IntArg compression_level = 6);

/// Returns the contents of a file as a u8 tensor of one dimension. Throws IoError if it cannot be
/// read. PyTorch: torchvision.io.read_file.
Tensor read_file(const std::string& path);
/// Writes the elements of a u8 tensor of one dimension to a file, which is created or replaced.
/// Throws ValueError for another tensor, IoError if the file cannot be written. PyTorch:
/// torchvision.io.write_file.
void write_file(const std::string& filename, const Tensor& data);

/// Returns the maximum number of pixels of a decoded image, by default 2^27.
std::int64_t max_image_pixels();
/// Sets the maximum number of pixels for the process. Throws ValueError unless it is positive.
/// Pillow: PIL.Image.MAX_IMAGE_PIXELS.
void set_max_image_pixels(std::int64_t pixels);

}  // namespace data
}  // namespace taper
