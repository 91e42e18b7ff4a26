#include "data/image/pixels.h"

#include <limits>

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

/// Positions of the pixels of an image in the order of its oriented form: the position of the first
/// pixel, and the distances from a row and a column to the next.
struct Traversal {
  std::size_t width, height;
  std::ptrdiff_t first, row_step, column_step;
};

Traversal oriented(const Pixels& p) {
  const auto w = static_cast<std::ptrdiff_t>(p.width), h = static_cast<std::ptrdiff_t>(p.height);
  const std::ptrdiff_t right = w - 1, bottom = (h - 1) * w;
  switch (p.orientation) {
    case 2: return {p.width, p.height, right, w, -1};
    case 3: return {p.width, p.height, bottom + right, -w, -1};
    case 4: return {p.width, p.height, bottom, -w, 1};
    case 5: return {p.height, p.width, 0, 1, w};
    case 6: return {p.height, p.width, bottom, 1, -w};
    case 7: return {p.height, p.width, bottom + right, -1, -w};
    case 8: return {p.height, p.width, right, -1, w};
    default: return {p.width, p.height, 0, w, 1};
  }
}

template <class T> Tensor to_planes(const Pixels& p) {
  const Traversal t = oriented(p);
  if (p.orientation <= 1 && p.area() > 0) {
    const Shape shape{static_cast<std::int64_t>(p.height), static_cast<std::int64_t>(p.width),
                      static_cast<std::int64_t>(p.channels)};
    return from_blob(p.bytes.get(), shape, {.dtype = dtype_of<T>})
        .permute({2, 0, 1})
        .clone(MemoryFormat::contiguous);
  }
  const Tensor result =
      empty({static_cast<std::int64_t>(p.channels), static_cast<std::int64_t>(t.height),
             static_cast<std::int64_t>(t.width)},
            {.dtype = dtype_of<T>});
  T* const planes = result.mutable_data_ptr<T>();
  const T* const values = reinterpret_cast<const T*>(p.bytes.get());
  const auto channels = static_cast<std::ptrdiff_t>(p.channels);
  for (std::size_t y = 0; y < t.height; ++y)
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      const T* from =
          values + (t.first + static_cast<std::ptrdiff_t>(y) * t.row_step) * channels + c;
      T* const to = planes + (static_cast<std::size_t>(c) * t.height + y) * t.width;
      for (std::size_t x = 0; x < t.width; ++x, from += t.column_step * channels) to[x] = *from;
    }
  return result;
}

}  // namespace

std::size_t channels_of(ImageReadMode mode) { return static_cast<std::size_t>(mode); }

Pixels convert_channels(Pixels pixels, ImageReadMode mode) {
  const std::size_t channels = channels_of(mode);
  if (channels == 0 || channels == pixels.channels) return pixels;
  Pixels result{pixels.width, pixels.height, channels, pixels.bits, pixels.orientation};
  result.allocate();
  if (pixels.bits == 8)
    convert_values(pixels.bytes.get(), pixels.channels, result.bytes.get(), channels,
                   pixels.area());
  else
    convert_values(reinterpret_cast<const std::uint16_t*>(pixels.bytes.get()), pixels.channels,
                   reinterpret_cast<std::uint16_t*>(result.bytes.get()), channels, pixels.area());
  return result;
}

Pixels cmyk_to_rgb(const Pixels& pixels) {
  Pixels result{pixels.width, pixels.height, 3, 8, pixels.orientation};
  result.allocate();
  const unsigned char* from = pixels.bytes.get();
  unsigned char* to = result.bytes.get();
  for (std::size_t i = 0; i < pixels.area(); ++i, from += 4, to += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      // k (255 - c) / 255, rounded.
      const unsigned product = from[3] * (255u - from[c]) + 128;
      to[c] = static_cast<unsigned char>(from[3] - ((product >> 8) + product) / 256);
    }
  return result;
}

Tensor to_tensor(const Pixels& pixels) {
  return pixels.bits == 8 ? to_planes<std::uint8_t>(pixels) : to_planes<std::uint16_t>(pixels);
}

}  // namespace taper::data
