#include "data/image/pixels.h"

#include <limits>

#include "ops/copy/rows.h"
#include "taper/core/factory.h"

namespace taper::data {
namespace {

/// 0.299 r + 0.587 g + 0.114 b in fixed point, as Pillow computes it.
template <class T> T luminance(std::uint64_t r, std::uint64_t g, std::uint64_t b) {
  return static_cast<T>((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
}

/// Converts interleaved values with `from_channels` to `to_channels` per pixel, each 1 to 4.
template <class T> void convert_values(const T* from, std::size_t from_channels, T* to,
                                       std::size_t to_channels, std::size_t area) {
  const bool from_color = from_channels >= 3, to_color = to_channels >= 3;
  const bool from_alpha = from_channels % 2 == 0, to_alpha = to_channels % 2 == 0;
  for (std::size_t i = 0; i < area; ++i, from += from_channels, to += to_channels) {
    if (to_color)
      for (std::size_t c = 0; c < 3; ++c) to[c] = from[from_color ? c : 0];
    else
      to[0] = from_color ? luminance<T>(from[0], from[1], from[2]) : from[0];
    if (to_alpha)
      to[to_channels - 1] = from_alpha ? from[from_channels - 1] : std::numeric_limits<T>::max();
  }
}

/// Returns the positions of the pixels of an image of this EXIF orientation in an upright plane.
PlaneWriter::Traversal traverse(int orientation, std::int64_t height, std::int64_t width) {
  const std::int64_t right = width - 1, bottom = (height - 1) * width;
  switch (orientation) {
    case 2: return {right, width, -1};
    case 3: return {bottom + right, -width, -1};
    case 4: return {bottom, -width, 1};
    case 5: return {0, 1, width};
    case 6: return {right, -1, width};
    case 7: return {bottom + right, -1, -width};
    case 8: return {bottom, 1, -width};
    default: return {0, width, 1};
  }
}

}  // namespace

std::size_t channels_of(ImageReadMode mode) { return static_cast<std::size_t>(mode); }

Pixels convert_channels(Pixels pixels, ImageReadMode mode) {
  const std::size_t channels = channels_of(mode);
  if (channels == 0 || channels == pixels.channels) return pixels;
  Pixels result{pixels.width, pixels.height, channels, pixels.bits, pixels.orientation};
  result.allocate();
  if (pixels.bits == 8)
    convert_values(pixels.bytes, pixels.channels, result.bytes, channels, pixels.area());
  else
    convert_values(reinterpret_cast<const std::uint16_t*>(pixels.bytes), pixels.channels,
                   reinterpret_cast<std::uint16_t*>(result.bytes), channels, pixels.area());
  return result;
}

Pixels cmyk_to_rgb(const Pixels& pixels) {
  Pixels result{pixels.width, pixels.height, 3, 8, pixels.orientation};
  result.allocate();
  const unsigned char* from = pixels.bytes;
  unsigned char* to = result.bytes;
  for (std::size_t i = 0; i < pixels.area(); ++i, from += 4, to += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      // k (255 - c) / 255, rounded.
      const unsigned product = from[3] * (255u - from[c]) + 128;
      to[c] = static_cast<unsigned char>(from[3] - ((product >> 8) + product) / 256);
    }
  return result;
}

PlaneWriter::PlaneWriter(const Pixels& image) {
  const auto w = static_cast<std::int64_t>(image.width),
             h = static_cast<std::int64_t>(image.height);
  const bool is_transposed = image.orientation >= 5;
  const std::int64_t width = is_transposed ? h : w, height = is_transposed ? w : h;
  tensor_ = empty({static_cast<std::int64_t>(image.channels), height, width},
                  {.dtype = image.bits == 8 ? DType::u8 : DType::u16, .device = Device::cpu()});
  planes_ = image.bits == 8
                ? reinterpret_cast<std::byte*>(tensor_.mutable_data_ptr<std::uint8_t>())
                : reinterpret_cast<std::byte*>(tensor_.mutable_data_ptr<std::uint16_t>());
  traversal_ = traverse(image.orientation, height, width);
}

void PlaneWriter::write(const Pixels& rows) {
  const std::size_t size = size_of(tensor_.dtype());
  const std::int64_t channels = tensor_.size(0), plane = tensor_.size(1) * tensor_.size(2);
  const auto width = static_cast<std::int64_t>(rows.width),
             height = static_cast<std::int64_t>(rows.height);
  const auto [first, row_step, column_step] = traversal_;
  // Adjacent rows of the result are one row.
  const bool is_dense = column_step == 1 && row_step == width;
  const std::int64_t count = is_dense ? 1 : height, n = is_dense ? height * width : width;
  const auto* from = reinterpret_cast<const std::byte*>(rows.bytes);
  const auto bytes = [&](std::int64_t elements) {
    return elements * static_cast<std::int64_t>(size);
  };
  for (std::int64_t i = 0; i < count; ++i, from += bytes(n * channels)) {
    std::byte* const to = planes_ + bytes(first + (next_row_ + i) * row_step);
    if (column_step == 1 && channels > 1) {
      kernel::transpose(size, channels, n, to, plane, from, channels);
      continue;
    }
    for (std::int64_t c = 0; c < channels; ++c)
      kernel::copy_row(size, to + bytes(c * plane), column_step, from + bytes(c), channels, n);
  }
  next_row_ += height;
}

}  // namespace taper::data
