// Winograd convolution: gradient of the weights. For each coefficient, the matrix product of the
// transformed inputs and the transformed gradients of the output, summed over tiles, is a
// coefficient of the gradient of the weights.
#include <atomic>

#include "cpu/conv/native.h"
#include "cpu/conv/winograd.h"
#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/winograd_weights.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/conv/winograd_tiles-inl.h"
#include "cpu/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_winograd {
namespace HWY_NAMESPACE {
namespace tiles = taper::cpu::HWY_NAMESPACE;

/// Coefficients of a block of tiles: `inputs` (tiles, in_channels) and `gradients` (tiles,
/// gradient_row) per coefficient.
struct GradientBlock {
  std::int64_t begin, end;
  float *inputs, *gradients;
  std::int64_t in_stride, gradient_stride, gradient_row;
};

/// Transforms tiles [begin, end) of the block.
void read_block(const TileGrid& g, const GradientBlock& b, std::int64_t begin, std::int64_t end,
                const float* x, const float* dy) {
  read_inputs(g, x, begin, end, b.begin, b.inputs, b.in_stride);
  const PixelReader reader(dy, g.out_height, g.out_width, g.out_channels);
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const TileGrid::Position at = g.position(tile);
    const float* pixels[kOutputTile * kOutputTile];
    reader.square(at.image, at.y, at.x, kOutputTile, pixels);
    transform_pixels<GradientTransform>(
        pixels, g.out_channels, b.gradients + (tile - b.begin) * b.gradient_row, b.gradient_stride);
  }
}

/// Channels of the result that are computed together: input channels [c, c + rows), and `columns`
/// output channels from `o` on.
struct Part {
  std::int64_t c, rows, o, columns;
};

/// Adds the sum over the tiles of a block to `sums` (coefficients, rows, columns).
void add_products(const TileGrid& g, const GradientBlock& b, const Part& part, bool accumulate,
                  float* sums) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < kCoefficients; ++i) {
    const tiles::Tile<float> t{.k = b.end - b.begin,
                               .a = b.inputs + i * b.in_stride + part.c,
                               .a_row = 1,
                               .a_col = g.in_channels,
                               .b = b.gradients + i * b.gradient_stride + part.o,
                               .b_row = b.gradient_row,
                               .c = sums + i * part.rows * part.columns,
                               .c_row = part.columns,
                               .last = static_cast<std::size_t>(lanes)};
    tiles::tile_columns<false>(d, static_cast<int>(part.columns / lanes), part.rows, t,
                               {.accumulate = accumulate});
  }
}

/// Transforms the sums of a part and writes them to dw (O, C, 3, 3). Returns false if there are
/// results that are not finite.
bool write_weights(const TileGrid& g, const Part& part, const float* sums, float* dw) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t stride = part.rows * part.columns;
  HWY_ALIGN float taps[9 * hn::MaxLanes(D())];
  V check = hn::Zero(d);
  for (std::int64_t v = 0; v < part.columns; v += lanes)
    for (std::int64_t r = 0; r < part.rows; ++r) {
      const float* const from = sums + r * part.columns + v;
      transform_tile<WeightGradientTransform>(
          [&](int y, int x) HWY_ATTR { return hn::LoadU(d, from + (y * kInputTile + x) * stride); },
          [&](int y, int x, V value) HWY_ATTR {
            check = hn::MulAdd(value, hn::Zero(d), check);
            hn::Store(value, d, taps + (y * 3 + x) * lanes);
          });
      for (std::int64_t l = 0; l < lanes; ++l) {
        float* const to = dw + ((part.o + v + l) * g.in_channels + part.c + r) * 9;
        for (std::int64_t t = 0; t < 9; ++t) to[t] = taps[t * lanes + l];
      }
    }
  return hn::AllFalse(d, hn::IsNaN(check));
}

/// Number of tiles per block: all of them if their coefficients are smaller than those of the
/// weights, otherwise few enough to stay in the caches. Does not depend on the number of threads.
std::int64_t tiles_per_gradient_block(const TileGrid& g) {
  const std::int64_t all = g.tiles();
  const bool fit = all * (g.in_channels + g.out_channels) <= 2 * g.in_channels * g.out_channels;
  return fit ? all : std::min<std::int64_t>(all, 96);
}

bool run_backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw) {
  const TileGrid g = forward_grid(c);
  const std::int64_t total = g.tiles(), most = tiles_per_gradient_block(g);
  const std::int64_t in_stride = coefficient_stride(most * g.in_channels);
  const std::int64_t gradient_row = g.out_channels + 16;
  const std::int64_t gradient_stride = coefficient_stride(most * gradient_row);
  // Parts of the result, whose sums fit in the second-level cache, in strips of equal height.
  constexpr std::int64_t kMaxRows = 48;
  const std::int64_t width = tiles::kTileVectors * static_cast<std::int64_t>(hn::Lanes(D()));
  const std::int64_t strips = (g.in_channels + kMaxRows - 1) / kMaxRows;
  const std::int64_t rows = (g.in_channels + strips - 1) / strips;
  const std::int64_t parts = strips * ((g.out_channels + width - 1) / width);
  const auto part_at = [&](std::int64_t i) {
    const std::int64_t first = i % strips * rows, column = i / strips * width;
    return Part{first, std::min(rows, g.in_channels - first), column,
                std::min(width, g.out_channels - column)};
  };
  const bool single = most >= total;
  const std::int64_t part_floats = kCoefficients * rows * width;
  const std::int64_t sum_floats = single ? 0 : part_floats * parts;
  const Scratch scratch(
      static_cast<std::size_t>(kCoefficients * (in_stride + gradient_stride) + sum_floats) *
      sizeof(float));
  float* const inputs = scratch.as<float>();
  float* const gradients = inputs + kCoefficients * in_stride;
  float* const sums = gradients + kCoefficients * gradient_stride;
  std::atomic<bool> is_finite = true;
  for (std::int64_t begin = 0; begin < total; begin += most) {
    const GradientBlock b{
        begin,       std::min(begin + most, total), inputs, gradients, in_stride, gradient_stride,
        gradient_row};
    parallel_for(b.begin, b.end, 4, [&](std::int64_t first, std::int64_t last) {
      read_block(g, b, first, last, x, dy);
    });
    parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
      const Scratch own(single ? static_cast<std::size_t>(part_floats) * sizeof(float) : 0);
      for (std::int64_t i = first; i < last; ++i) {
        const Part part = part_at(i);
        float* const to = single ? own.as<float>() : sums + i * part_floats;
        add_products(g, b, part, begin > 0, to);
        if (b.end == total && !write_weights(g, part, to, dw))
          is_finite.store(false, std::memory_order_relaxed);
      }
    });
  }
  return is_finite;
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_winograd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_winograd {
HWY_EXPORT(run_backward_weights);

bool backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db) {
  if (!HWY_DYNAMIC_DISPATCH(run_backward_weights)(c, x, dy, dw)) return false;
  if (db != nullptr)
    column_sums(c.batch * c.output[0] * c.output[1], c.out_channels, dy, c.out_channels, db, false);
  return true;
}
}  // namespace taper::cpu::conv_winograd
#endif
