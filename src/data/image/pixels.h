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
  std::unique_ptr<unsigned char[]> memory{};
  unsigned char* bytes = nullptr;  ///< the first row, in `memory`

  std::size_t area() const { return width * height; }
  std::size_t size() const { return area() * channels * bits / 8; }
  /// Allocates `bytes`, uninitialized. Their address is odd as a multiple of 16: libjpeg-turbo
  /// writes rows that are aligned to 32 bytes past the caches, from which they are read next.
  void allocate() {
    constexpr std::size_t kAlignment = 32;
    memory = std::make_unique_for_overwrite<unsigned char[]>(size() + kAlignment);
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(memory.get()) % kAlignment;
    bytes = memory.get() + (offset <= kAlignment / 2 ? 0 : kAlignment) + kAlignment / 2 - offset;
  }
};

/// Returns the number of channels of a mode; 0 for `unchanged`.
std::size_t channels_of(ImageReadMode mode);
/// Converts the channels of gray or RGB pixels, which may have an alpha channel, to those of a
/// mode.
Pixels convert_channels(Pixels pixels, ImageReadMode mode);
/// Converts inverted CMYK pixels of 8 bits to RGB.
Pixels cmyk_to_rgb(const Pixels& pixels);

/// Tensor (C, H, W) of an image whose rows are written in order, with the orientation applied.
class PlaneWriter {
 public:
  /// Position of the first pixel in a plane, and the distances from a row and a column to the next.
  struct Traversal {
    std::int64_t first, row_step, column_step;
  };

  /// Creates the tensor of an image of this size, type and orientation; `bytes` is not read.
  explicit PlaneWriter(const Pixels& image);

  /// Writes the next rows, of the width, channels and bits of the image.
  void write(const Pixels& rows);
  /// Returns the tensor, complete after all rows were written.
  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
  std::byte* planes_;
  std::int64_t next_row_ = 0;
  Traversal traversal_{};
};

/// Returns the orientation that EXIF data specifies, 1 to 8; 1 if it is missing or invalid. `exif`
/// begins with the byte order, "II" or "MM".
int exif_orientation(const unsigned char* exif, std::size_t size);

}  // namespace taper::data
