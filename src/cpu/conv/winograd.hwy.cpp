// Winograd convolution: output, and gradient of the input. Blocks of tiles pass through three
// stages (input transform, one matrix product per coefficient, output transform). Blocks run in
// parallel if there are enough of them, otherwise the parts of each stage do.
#include "cpu/conv/winograd.h"

#include <atomic>
#include <memory>
#include <vector>

#include "cpu/conv/native.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/winograd.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/conv/winograd_tiles-inl.h"
#include "cpu/gemm/pack-inl.h"
#include "cpu/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_winograd {
namespace HWY_NAMESPACE {
namespace tiles = taper::cpu::HWY_NAMESPACE;

/// Weights, transformed and packed: for each coefficient and panel of output channels, a matrix
/// (in_channels, panel width).
struct Panels {
  std::int64_t width, count, in_channels, out_channels;

  Panels(std::int64_t in, std::int64_t out)
      : width(tiles::kTileVectors * static_cast<std::int64_t>(hn::Lanes(D()))),
        count((out + width - 1) / width),
        in_channels(in),
        out_channels(out) {}
  std::int64_t floats() const {
    return kCoefficients * coefficient_stride(in_channels * out_channels);
  }
  std::int64_t columns(std::int64_t panel) const {
    return std::min(width, out_channels - panel * width);
  }
  std::int64_t offset(std::int64_t coefficient, std::int64_t panel) const {
    return coefficient * coefficient_stride(in_channels * out_channels) +
           panel * width * in_channels;
  }
};

/// Transforms the weights of input channel `k` in one panel. Tap t of the panel is the row
/// `taps + t * step`; the taps are rotated by half a turn if `rotated` is true.
void transform_weights(const Panels& p, std::int64_t panel, std::int64_t k, const float* taps,
                       std::int64_t step, bool rotated, float* out) {
  const D d;
  const std::int64_t n = p.columns(panel);
  for (std::int64_t v = 0; v < n; v += static_cast<std::int64_t>(hn::Lanes(d)))
    transform_tile<WeightTransform>(
        [&](int y, int x) HWY_ATTR {
          const int tap = y * 3 + x;
          return hn::LoadU(d, taps + (rotated ? 8 - tap : tap) * step + v);
        },
        [&](int y, int x, V value) HWY_ATTR {
          hn::StoreU(value, d, out + p.offset(y * kInputTile + x, panel) + k * n + v);
        });
}

/// Packs the weights (O, C, 3, 3) of a convolution from C to O channels.
void pack_forward(const Panels& p, const float* w, float* out) {
  const std::int64_t all = p.in_channels * 9;
  parallel_for(0, p.count, 1, [&](std::int64_t begin, std::int64_t end) {
    const Scratch scratch(static_cast<std::size_t>(all * p.width) * sizeof(float));
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t n = p.columns(panel);
      float* const taps = scratch.as<float>();
      tiles::pack_transposed(D(), all, n, w + panel * p.width * all, all, taps);
      for (std::int64_t k = 0; k < p.in_channels; ++k)
        transform_weights(p, panel, k, taps + k * 9 * n, n, false, out);
    }
  });
}

/// Packs the weights (C, O, 3, 3), rotated, of the adjoint of a convolution: from C to O channels.
void pack_adjoint(const Panels& p, const float* w, float* out) {
  parallel_for(0, p.in_channels, 16, [&](std::int64_t begin, std::int64_t end) {
    const Scratch scratch(static_cast<std::size_t>(9 * p.width) * sizeof(float));
    float* const taps = scratch.as<float>();
    for (std::int64_t panel = 0; panel < p.count; ++panel) {
      const std::int64_t n = p.columns(panel);
      for (std::int64_t k = begin; k < end; ++k) {
        tiles::pack_transposed(D(), 9, n, w + (k * p.out_channels + panel * p.width) * 9, 9, taps);
        transform_weights(p, panel, k, taps, n, true, out);
      }
    }
  });
}

/// A block of tiles with the coefficients of its inputs and outputs.
struct Block {
  std::int64_t begin, end;
  float *inputs, *outputs;
  std::int64_t in_stride, out_stride;
  std::int64_t tiles() const { return end - begin; }
};

void multiply(const Panels& p, const float* packed, const Block& b, std::int64_t coefficient,
              std::int64_t panel) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d)), n = p.columns(panel);
  const tiles::Tile<float> t{.k = p.in_channels,
                             .a = b.inputs + coefficient * b.in_stride,
                             .a_row = p.in_channels,
                             .a_col = 1,
                             .b = packed + p.offset(coefficient, panel),
                             .b_row = n,
                             .c = b.outputs + coefficient * b.out_stride + panel * p.width,
                             .c_row = p.out_channels,
                             .last = static_cast<std::size_t>(lanes)};
  tiles::tile_columns<false>(d, static_cast<int>(n / lanes), b.tiles(), t, {});
}

/// Transforms the outputs of tiles [begin, end) of block `b` and adds the bias. Returns false if a
/// number that is not finite may have reached outputs that do not depend on it.
bool write_outputs(const TileGrid& g, const Block& b, std::int64_t begin, std::int64_t end,
                   const float* bias, float* y) {
  const D d;
  // Pixels of a tile that are outside of the image are written to `unused`.
  const Scratch unused(static_cast<std::size_t>(g.out_channels) * sizeof(float));
  V check = hn::Zero(d);
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const TileGrid::Position at = g.position(tile);
    float* pixels[kOutputTile * kOutputTile];
    for (std::int64_t r = 0; r < kOutputTile; ++r)
      for (std::int64_t c = 0; c < kOutputTile; ++c)
        pixels[r * kOutputTile + c] =
            at.y + r < g.out_height && at.x + c < g.out_width
                ? y + ((at.image * g.out_height + at.y + r) * g.out_width + at.x + c) *
                          g.out_channels
                : unused.as<float>();
    const float* const from = b.outputs + (tile - b.begin) * g.out_channels;
    for (std::int64_t c = 0; c < g.out_channels; c += static_cast<std::int64_t>(hn::Lanes(d))) {
      const V start = bias != nullptr ? hn::LoadU(d, bias + c) : hn::Zero(d);
      transform_tile<OutputTransform>(
          [&](int i, int j)
              HWY_ATTR { return hn::LoadU(d, from + (i * kInputTile + j) * b.out_stride + c); },
          [&](int i, int j, V v) HWY_ATTR {
            // Numbers that reach several outputs of a row or column reach the second one.
            if (i == 1 || j == 1) check = hn::MulAdd(v, hn::Zero(d), check);
            hn::StoreU(hn::Add(v, start), d, pixels[i * kOutputTile + j] + c);
          });
    }
  }
  return hn::AllFalse(d, hn::IsNaN(check));
}

/// Number of tiles per block: few enough that the coefficients of a block stay in the caches, and
/// enough that the weights are not read too often. Does not depend on the number of threads.
std::int64_t tiles_per_block(const TileGrid& g) {
  return g.in_channels * g.out_channels <= 128 * 128 ? 48 : 96;
}

/// Returns false as `write_outputs`.
bool convolve(const TileGrid& g, const Panels& p, const float* x, const float* packed,
              const float* bias, float* y) {
  const std::int64_t total = g.tiles(), most = std::min(tiles_per_block(g), total);
  if (total == 0) return true;
  std::atomic<bool> is_finite = true;
  const auto write = [&](const Block& b, std::int64_t first, std::int64_t last) {
    if (!write_outputs(g, b, first, last, bias, y))
      is_finite.store(false, std::memory_order_relaxed);
  };
  const std::int64_t blocks = (total + most - 1) / most;
  const std::int64_t in_stride = coefficient_stride(most * g.in_channels);
  const std::int64_t out_stride = coefficient_stride(most * g.out_channels);
  const std::size_t bytes =
      static_cast<std::size_t>(kCoefficients * (in_stride + out_stride)) * sizeof(float);
  const auto block_at = [&](std::int64_t i, float* buffer) {
    return Block{i * most,  std::min((i + 1) * most, total),
                 buffer,    buffer + kCoefficients * in_stride,
                 in_stride, out_stride};
  };
  const std::int64_t grain = conv_grain(g.multiply_adds(), blocks);
  const std::int64_t threads = available_threads();
  if (threads == 1 || blocks >= 4 * threads) {
    parallel_for(0, blocks, grain, [&](std::int64_t first, std::int64_t last) {
      const Scratch scratch(bytes);
      for (std::int64_t i = first; i < last; ++i) {
        const Block b = block_at(i, scratch.as<float>());
        read_inputs(g, x, b.begin, b.end, b.begin, b.inputs, in_stride);
        for (std::int64_t c = 0; c < kCoefficients; ++c)
          for (std::int64_t panel = 0; panel < p.count; ++panel) multiply(p, packed, b, c, panel);
        write(b, b.begin, b.end);
      }
    });
    return is_finite;
  }
  const Scratch scratch(bytes);
  for (std::int64_t i = 0; i < blocks; ++i) {
    const Block b = block_at(i, scratch.as<float>());
    parallel_for(b.begin, b.end, 1, [&](std::int64_t first, std::int64_t last) {
      read_inputs(g, x, first, last, b.begin, b.inputs, in_stride);
    });
    parallel_for(0, kCoefficients * p.count, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t j = first; j < last; ++j) multiply(p, packed, b, j / p.count, j % p.count);
    });
    parallel_for(b.begin, b.end, 1,
                 [&](std::int64_t first, std::int64_t last) { write(b, first, last); });
  }
  return is_finite;
}

using Kind = conv_native::PackedLayout::Kind;

/// Packs the weights with `pack`, or takes them from the cache, and convolves.
template <class Pack> bool convolve_packed(const TileGrid& g, Kind kind, const float* x,
                                           const float* bias, float* y, PrepackedWeightCache* cache,
                                           const Pack& pack) {
  const Panels p(g.in_channels, g.out_channels);
  const Scratch scratch(cache != nullptr ? 0
                                         : static_cast<std::size_t>(p.floats()) * sizeof(float));
  const float* const packed = conv_native::packed_weights(
      cache, {kind, p.width, p.floats()}, scratch.as<float>(), [&](float* to) { pack(p, to); });
  return convolve(g, p, x, packed, bias, y);
}

bool run_forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
                 PrepackedWeightCache* cache) {
  return convolve_packed(forward_grid(c), Kind::winograd_forward, x, bias, y, cache,
                         [w](const Panels& p, float* to) { pack_forward(p, w, to); });
}

bool run_backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                       PrepackedWeightCache* cache) {
  return convolve_packed(backward_data_grid(c), Kind::winograd_backward, dy, nullptr, dx, cache,
                         [w](const Panels& p, float* to) { pack_adjoint(p, w, to); });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_winograd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_winograd {
HWY_EXPORT(run_forward);
HWY_EXPORT(run_backward_data);

bool forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache) {
  return HWY_DYNAMIC_DISPATCH(run_forward)(c, x, w, bias, y, cache);
}
bool backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache) {
  return HWY_DYNAMIC_DISPATCH(run_backward_data)(c, dy, w, dx, cache);
}
}  // namespace taper::cpu::conv_winograd
#endif
