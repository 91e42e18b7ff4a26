// Forward convolution for few channels: a register tile covers some pixels of an output row and
// some vectors of output channels, and sums over whole kernel rows, which are contiguous in the
// input.
#include "cpu/conv/native.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/native_forward.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/conv/native_remainder-inl.h"
#include "cpu/gemm/pack-inl.h"
#include "cpu/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_native {
namespace HWY_NAMESPACE {
namespace ops = taper::cpu::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

/// Packs (O, C, KH, KW) into panels of output channels, [panel][kh][kw][c][vectors of the panel],
/// followed by the remaining channels for dot products.
void pack_forward(const ConvLoops& l, const float* w, float* out, float* buffer) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t panel = ops::kTileVectors * lanes, all = l.ci * l.kh * l.kw;
  const std::int64_t remainder = remainder_channels(l, lanes), tiled = l.co - remainder;
  for (std::int64_t j = 0; j < tiled; j += panel) {
    const std::int64_t n = std::min(panel, tiled - j), width = round_up(n, lanes);
    const bool one = l.ci == 1;  // no permutation is required
    ops::pack_transposed(d, all, n, w + j * all, all, one ? out : buffer);
    for (std::int64_t c = 0; !one && c < l.ci; ++c)
      for (std::int64_t k = 0; k < l.kh * l.kw; ++k) {
        const float* from = buffer + (c * l.kh * l.kw + k) * width;
        float* to = out + (k * l.ci + c) * width;
        for (std::int64_t v = 0; v < width; v += lanes)
          hn::StoreU(hn::LoadU(d, from + v), d, to + v);
      }
    out += all * width;
  }
  pack_remainder(l, w + tiled * all, remainder, out);
}

/// Computes `rows` output rows of one image from its padded rows `x`.
void forward_rows(const ConvLoops& l, const float* x, const float* packed, const float* bias,
                  float* y, std::int64_t rows) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t panel = ops::kTileVectors * lanes;
  const std::int64_t remainder = remainder_channels(l, lanes), tiled = l.co - remainder;
  for (std::int64_t j = 0; j < tiled; j += panel) {
    const std::int64_t n = std::min(panel, tiled - j), width = round_up(n, lanes);
    const int vectors = static_cast<int>(width / lanes);
    // The loop over kernel rows is outermost if their weights together exceed the first-level
    // cache.
    const bool single_pass = l.kh * l.run * width * 4 <= 16 * 1024;
    const std::int64_t passes = single_pass ? 1 : l.kh;
    for (std::int64_t pass = 0; pass < passes; ++pass)
      for (std::int64_t h = 0; h < rows; ++h) {
        const ops::Tile<float> t{.k = l.run,
                                 .a = x + (h * l.sh + pass * l.dh) * l.row,
                                 .a_row = l.sw * l.ci,
                                 .a_col = 1,
                                 .b = packed + pass * l.run * width,
                                 .b_row = width,
                                 .c = y + h * l.wo * l.co + j,
                                 .c_row = l.co,
                                 .last = static_cast<std::size_t>(n - (vectors - 1) * lanes),
                                 .outer = single_pass ? l.kh : 1,
                                 .a_outer = l.dh * l.row,
                                 .b_outer = l.run * width};
        const ops::Epilogue<float> epilogue{
            .bias = pass == 0 && bias != nullptr ? bias + j : nullptr, .accumulate = pass > 0};
        ops::tile_columns<false>(d, vectors, l.wo, t, epilogue);
      }
    packed += l.kh * l.run * width;
  }
  if (remainder > 0)
    forward_remainder(d, l, remainder, x, packed, bias != nullptr ? bias + tiled : nullptr,
                      y + tiled, rows);
}

void run_forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
                 PrepackedWeightCache* weight_cache) {
  const ConvLoops l(c);
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  const std::int64_t all = l.kh * l.run, panel = ops::kTileVectors * lanes;
  const std::int64_t floats = all * round_up(l.co, lanes),
                     one_panel = all * std::min(panel, round_up(l.co, lanes));
  const Scratch buffer(
      static_cast<std::size_t>(weight_cache != nullptr ? one_panel : floats + one_panel) *
      sizeof(float));
  float* const transposed = buffer.as<float>();
  const float* const packed = packed_weights(
      weight_cache, {PackedLayout::Kind::forward, lanes, floats}, transposed + one_panel,
      [&](float* to) { pack_forward(l, w, to, transposed); });
  if (LineBlocks::apply(l)) {
    const LineBlocks blocks(l);
    parallel_for(
        0, blocks.count, conv_grain(l.multiply_adds(), blocks.count),
        [&](std::int64_t b, std::int64_t e) {
          const Scratch part(static_cast<std::size_t>(blocks.max_floats()) * sizeof(float));
          blocks.for_each(b, e, x, part.as<float>(),
                          [&](const ConvLoops& of_part, const float* from, std::int64_t pixel) {
                            forward_rows(of_part, from, packed, bias, y + pixel * l.co, 1);
                          });
        });
    return;
  }
  // WorkUnits are whole images, or quarters of images if there are too few images for the threads.
  const bool split_images = l.n < 2 * available_threads();
  const WorkUnits units(l.n, l.ho, split_images ? (l.ho + 3) / 4 : l.ho);
  const std::int64_t grain = conv_grain(l.multiply_adds(), units.count);
  parallel_for(0, units.count, grain, [&](std::int64_t b, std::int64_t e) {
    const std::int64_t rows = l.padded ? l.rows_for(0, units.strip) : 0;
    const Scratch image(static_cast<std::size_t>(rows * l.row) * sizeof(float));
    units.for_each(b, e, [&](std::int64_t i, std::int64_t h0, std::int64_t h1) {
      const float* from =
          padded_rows(l, x, i, l.first_row(h0), l.rows_for(h0, h1), image.as<float>());
      forward_rows(l, from, packed, bias, y + (i * l.ho + h0) * l.wo * l.co, h1 - h0);
    });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_native
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_native {
HWY_EXPORT(run_forward);
void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* packed) {
  HWY_DYNAMIC_DISPATCH(run_forward)(c, x, w, bias, y, packed);
}
}  // namespace taper::cpu::conv_native
#endif
