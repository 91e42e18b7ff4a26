// Which pixels of the input each pixel of a convolution's output reads.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "cpu/conv/conv.h"

namespace taper::cpu {

/// Geometry of a convolution over up to three spatial dimensions; unused ones have extent 1.
/// Kernel positions and pixels are numbered in row-major order.
struct ConvGeometry {
  using Indices = std::array<std::int64_t, 3>;

  const ConvParams& c;
  std::int64_t taps, inputs, pixels;  ///< kernel positions, and pixels of one image

  explicit ConvGeometry(const ConvParams& params)
      : c(params), taps(volume(c.kernel)), inputs(volume(c.input)), pixels(volume(c.output)) {}

  std::int64_t multiply_adds() const {
    return c.batch * pixels * c.out_channels * (c.in_channels / c.groups) * taps;
  }

  /// Consecutive kernel positions that read consecutive pixels of the input, or the padding.
  struct Run {
    std::int64_t output, tap;  ///< output pixel of the batch, and first kernel position
    std::int64_t input;        ///< first input pixel of the batch, -1 in the padding
    std::int64_t count;
  };

  /// Calls f(run) for all runs of output pixels [begin, end) of the batch, in order.
  template <class F> void for_each_run(std::int64_t begin, std::int64_t end, F&& f) const {
    const std::int64_t width = c.kernel[2];
    for (std::int64_t p = begin; p < end; ++p) {
      const Indices first = first_input(p % pixels);
      for (std::int64_t t = 0; t < taps; t += width) {
        const std::int64_t z = first[0] + t / width / c.kernel[1] * c.dilation[0];
        const std::int64_t y = first[1] + t / width % c.kernel[1] * c.dilation[1];
        const bool inside = z >= 0 && z < c.input[0] && y >= 0 && y < c.input[1];
        const std::int64_t line = p / pixels * inputs + (z * c.input[1] + y) * c.input[2];
        for (std::int64_t w = 0; w < width;) {
          const std::int64_t x = first[2] + w * c.dilation[2];
          const std::int64_t count = inside ? run_length(x, width - w) : width - w;
          f(Run{p, t + w, inside && x >= 0 && x < c.input[2] ? line + x : -1, count});
          w += count;
        }
      }
    }
  }

 private:
  static std::int64_t volume(const Indices& extents) {
    return extents[0] * extents[1] * extents[2];
  }

  /// Returns the position of the first kernel position of an output pixel.
  Indices first_input(std::int64_t pixel) const {
    const std::int64_t in_plane = pixel % (c.output[1] * c.output[2]);
    return {pixel / (c.output[1] * c.output[2]) * c.stride[0] - c.padding[0],
            in_plane / c.output[2] * c.stride[1] - c.padding[1],
            in_plane % c.output[2] * c.stride[2] - c.padding[2]};
  }

  /// Returns the number of positions from column `x` on, of at most `left`, that are all in the
  /// input or all in the padding.
  std::int64_t run_length(std::int64_t x, std::int64_t left) const {
    if (c.dilation[2] != 1) return 1;
    if (x < 0) return std::min(left, -x);
    return x < c.input[2] ? std::min(left, c.input[2] - x) : left;
  }
};

}  // namespace taper::cpu
