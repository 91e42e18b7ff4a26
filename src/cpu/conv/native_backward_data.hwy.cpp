// Gradient of the input for few channels: computes columns = dy * W for a strip of output rows at a
// time, and adds them to the pixels that they were computed from. The elements of a kernel row are
// contiguous both in the columns and in the image.
#include "cpu/conv/native.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/native_backward_data.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_native {
namespace HWY_NAMESPACE {
namespace ops = taper::cpu::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

/// Packs (O, C, KH, KW) into panels of columns of [o][kh][kw][c]: [panel][o][vectors of the panel].
void pack_backward(const ConvLoops& l, const float* w, float* out) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  const std::int64_t panel = ops::kTileVectors * lanes, taps = l.kh * l.kw, all = taps * l.ci;
  parallel_for(0, l.co, 1 + 8192 / all, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t o = b; o < e; ++o)
      for (std::int64_t j = 0; j < all; j += panel) {
        const std::int64_t n = std::min(panel, all - j), width = round_up(n, lanes);
        float* const to = out + j * l.co + o * width;
        std::int64_t tap = j / l.ci, c = j % l.ci;
        for (std::int64_t q = 0; q < n; ++q) {
          to[q] = w[(o * l.ci + c) * taps + tap];
          if (++c == l.ci) c = 0, ++tap;
        }
        for (std::int64_t q = n; q < width; ++q) to[q] = 0;
      }
  });
}

/// Computes to[0, n) += from[0, n).
HWY_INLINE void add_floats(const float* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t n) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t q = 0;
  for (; q + lanes <= n; q += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, to + q), hn::LoadU(d, from + q)), d, to + q);
  if (q < n) {
    const std::size_t remainder = static_cast<std::size_t>(n - q);
    ops::store_n(hn::Add(ops::load_n(d, to + q, remainder), ops::load_n(d, from + q, remainder)), d,
                 to + q, remainder);
  }
}

/// Adds the contribution of output rows [h0, h1) to the padded image `dx`. `columns` is scratch
/// memory for the columns of these rows.
void scatter_rows(const ConvLoops& l, const float* dy, const float* packed, float* dx,
                  float* columns, std::int64_t h0, std::int64_t h1) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t panel = ops::kTileVectors * lanes, all = l.kh * l.run;
  const std::int64_t width = round_up(all, lanes), pixels = (h1 - h0) * l.wo;
  for (std::int64_t j = 0; j < width; j += panel) {
    const std::int64_t n = std::min(panel, width - j);
    const ops::Tile<float> t{.k = l.co,
                             .a = dy + h0 * l.wo * l.co,
                             .a_row = l.co,
                             .a_col = 1,
                             .b = packed + j * l.co,
                             .b_row = n,
                             .c = columns + j,
                             .c_row = width,
                             .last = hn::Lanes(d)};
    ops::tile_columns<false>(d, static_cast<int>(n / lanes), pixels, t, {});
  }
  for (std::int64_t h = h0; h < h1; ++h)
    for (std::int64_t k = 0; k < l.kh; ++k) {
      float* const to = dx + (h * l.sh + k * l.dh) * l.row;
      const float* const from = columns + (h - h0) * l.wo * width + k * l.run;
      for (std::int64_t w = 0; w < l.wo; ++w)
        add_floats(from + w * width, to + w * l.sw * l.ci, l.run);
    }
}

void run_backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                       PrepackedWeightCache* weight_cache) {
  const ConvLoops l(c);
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  const std::int64_t all = l.kh * l.run, width = round_up(all, lanes), floats = l.co * width;
  const Scratch buffer(weight_cache != nullptr ? 0
                                               : static_cast<std::size_t>(floats) * sizeof(float));
  const float* const packed =
      packed_weights(weight_cache, {PackedLayout::Kind::backward, lanes, floats},
                     buffer.as<float>(), [&](float* to) { pack_backward(l, w, to); });
  // The columns of a strip fit in the second-level cache.
  const std::int64_t strip = std::max<std::int64_t>(1, 32 * 1024 / (l.wo * width));
  const std::int64_t image_floats = l.padded ? l.hp * l.row : 0;
  const std::int64_t grain = conv_grain(l.multiply_adds(), l.n);
  parallel_for(0, l.n, grain, [&](std::int64_t b, std::int64_t e) {
    const Scratch work(
        static_cast<std::size_t>(image_floats + std::min(strip, l.ho) * l.wo * width) *
        sizeof(float));
    float* const columns = work.as<float>();
    for (std::int64_t i = b; i < e; ++i) {
      float* const image = dx + i * l.hi * l.wi * l.ci;
      float* const padded_image = l.padded ? columns + std::min(strip, l.ho) * l.wo * width : image;
      std::memset(padded_image, 0, static_cast<std::size_t>(l.hp * l.row) * sizeof(float));
      for (std::int64_t h = 0; h < l.ho; h += strip)
        scatter_rows(l, dy + i * l.ho * l.wo * l.co, packed, padded_image, columns, h,
                     std::min(h + strip, l.ho));
      for (std::int64_t r = 0; l.padded && r < l.hi; ++r)
        std::memcpy(image + r * l.wi * l.ci, padded_image + (r + l.top) * l.row + l.left * l.ci,
                    static_cast<std::size_t>(l.wi * l.ci) * sizeof(float));
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_native
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_native {
HWY_EXPORT(run_backward_data);
void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* packed) {
  HWY_DYNAMIC_DISPATCH(run_backward_data)(c, dy, w, dx, packed);
}
}  // namespace taper::cpu::conv_native
#endif
