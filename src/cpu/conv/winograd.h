// Winograd convolution F(4x4, 3x3) of f32: shapes shared by its kernels.
//
// An output tile of 4x4 pixels is computed from an input tile of 6x6 pixels with 36 multiplications
// per pair of channels instead of 144. Inputs and weights are transformed to 36 coefficients each;
// for each coefficient, all tiles and channels form one matrix product. See Lavin and Gray, Fast
// Algorithms for Convolutional Neural Networks, arXiv:1509.09308.
#pragma once
#include <algorithm>
#include <cstdint>

#include "cpu/conv/conv.h"

namespace taper::cpu::conv_winograd {

constexpr std::int64_t kOutputTile = 4, kInputTile = 6, kCoefficients = kInputTile * kInputTile;

/// A 3x3 convolution with stride 1 as a grid of tiles. Activations are dense (N, H, W, C).
struct TileGrid {
  std::int64_t batch;
  std::int64_t in_height, in_width, in_channels;
  std::int64_t out_height, out_width, out_channels;
  std::int64_t top, left;  // padding before the input
  std::int64_t rows, columns;

  std::int64_t tiles() const { return batch * rows * columns; }
  std::int64_t multiply_adds() const {
    return tiles() * kCoefficients * in_channels * out_channels;
  }

  /// The position of a tile: its image, and the first output pixel.
  struct Position {
    std::int64_t image, y, x;
  };
  Position position(std::int64_t tile) const {
    const std::int64_t in_image = tile % (rows * columns);
    return {tile / (rows * columns), in_image / columns * kOutputTile,
            in_image % columns * kOutputTile};
  }
};

inline TileGrid make_grid(std::int64_t batch, std::int64_t in_height, std::int64_t in_width,
                          std::int64_t in_channels, std::int64_t out_height, std::int64_t out_width,
                          std::int64_t out_channels, std::int64_t top, std::int64_t left) {
  const auto count = [](std::int64_t size) { return (size + kOutputTile - 1) / kOutputTile; };
  return {batch,        in_height, in_width, in_channels,       out_height,      out_width,
          out_channels, top,       left,     count(out_height), count(out_width)};
}

inline TileGrid forward_grid(const ConvParams& c) {
  return make_grid(c.batch, c.input[0], c.input[1], c.in_channels, c.output[0], c.output[1],
                   c.out_channels, c.padding[0], c.padding[1]);
}

/// The gradient of the input is the convolution of the output's gradient with the rotated weights.
inline TileGrid backward_data_grid(const ConvParams& c) {
  return make_grid(c.batch, c.output[0], c.output[1], c.out_channels, c.input[0], c.input[1],
                   c.in_channels, 2 - c.padding[0], 2 - c.padding[1]);
}

/// Distance in floats of the matrices of two coefficients: `floats`, increased so that the
/// coefficients of one element are in different sets of the caches.
inline std::int64_t coefficient_stride(std::int64_t floats) { return (floats + 15) / 16 * 16 + 16; }

}  // namespace taper::cpu::conv_winograd
