// Pixels: a decoded image.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "taper/data/image.h"

namespace taper::data {

/// Pixels in rows from top to bottom, with interleaved channels. Values have `bits` bits, in native
/// byte order.
struct Pixels {
  std::size_t width = 0, height = 0;
  std::size_t channels = 0;  ///< 1 (gray or palette), 2, 3, or 4 (RGBA or CMYK)
  std::size_t bits = 8;      ///< 8 or 16
  int orientation = 1;       ///< EXIF orientation that is still to be applied
  std::unique_ptr<unsigned char[]> bytes{};

  std::size_t area() const { return width * height; }
  std::size_t size() const { return area() * channels * bits / 8; }
  /// Allocates `bytes`, uninitialized.
  void allocate() { bytes = std::make_unique_for_overwrite<unsigned char[]>(size()); }
};

/// Returns the number of channels of a mode; 0 for `unchanged`.
std::size_t channels_of(ImageReadMode mode);
/// Converts the channels of gray or RGB pixels, which may have an alpha channel, to those of a
/// mode.
Pixels convert_channels(Pixels pixels, ImageReadMode mode);
/// Converts inverted CMYK pixels of 8 bits to RGB.
Pixels cmyk_to_rgb(const Pixels& pixels);
/// Returns the pixels as a tensor (C, H, W), with the orientation applied.
Tensor to_tensor(const Pixels& pixels);

/// Returns the orientation that EXIF data specifies, 1 to 8; 1 if it is missing or invalid. `exif`
/// begins with the byte order, "II" or "MM".
int exif_orientation(const unsigned char* exif, std::size_t size);

}  // namespace taper::data
