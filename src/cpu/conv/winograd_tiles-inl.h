// Reading of tiles of pixels for Winograd convolution.
#if defined(TAPER_CPU_CONV_WINOGRAD_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_CONV_WINOGRAD_TILES_INL_H_
#undef TAPER_CPU_CONV_WINOGRAD_TILES_INL_H_
#else
#define TAPER_CPU_CONV_WINOGRAD_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "cpu/conv/winograd.h"
#include "cpu/conv/winograd_transforms-inl.h"
#include "cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_winograd {
namespace HWY_NAMESPACE {

/// Pixels of activations (N, H, W, C). Pixels outside of the image read zeros.
class PixelReader {
 public:
  PixelReader(const float* data, std::int64_t height, std::int64_t width, std::int64_t channels)
      : data_(data),
        height_(height),
        width_(width),
        channels_(channels),
        zeros_(static_cast<std::size_t>(channels) * sizeof(float)) {
    std::memset(zeros_.as<float>(), 0, static_cast<std::size_t>(channels) * sizeof(float));
  }

  /// Assigns the addresses of the pixels of a square whose first pixel is (y, x) of an image.
  void square(std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t size,
              const float** pixels) const {
    for (std::int64_t r = y; r < y + size; ++r)
      for (std::int64_t c = x; c < x + size; ++c)
        *pixels++ = r >= 0 && r < height_ && c >= 0 && c < width_
                        ? data_ + ((image * height_ + r) * width_ + c) * channels_
                        : zeros_.as<float>();
  }

 private:
  const float* data_;
  std::int64_t height_, width_, channels_;
  Scratch zeros_;
};

/// Transforms the inputs of tiles [begin, end). Coefficient i of a tile is stored at `out + i *
/// stride + (tile - first) * in_channels`.
HWY_INLINE void read_inputs(const TileGrid& g, const float* x, std::int64_t begin, std::int64_t end,
                            std::int64_t first, float* out, std::int64_t stride) {
  const PixelReader reader(x, g.in_height, g.in_width, g.in_channels);
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const TileGrid::Position at = g.position(tile);
    const float* pixels[kInputTile * kInputTile];
    reader.square(at.image, at.y - g.top, at.x - g.left, kInputTile, pixels);
    transform_pixels<InputTransform>(pixels, g.in_channels, out + (tile - first) * g.in_channels,
                                     stride);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_winograd
HWY_AFTER_NAMESPACE();
#endif
