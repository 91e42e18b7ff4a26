// Gradient of the weights for few channels. The sum runs over the pixels of a strip of output rows.
// Rows and columns of the tile are the output channels and the run of a kernel row, in the order
// that fills the vectors better.
#include "cpu/conv/native.h"
#include "cpu/conv/slice_sums.h"
#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/native_backward_weights.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/gemm/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_native {
namespace HWY_NAMESPACE {
namespace ops = taper::cpu::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;

/// Adds the contribution of a strip of `rows` output rows to sums[kh][m][n]. If `by_channel` is
/// true, m is the output channel and n the index in the run of a kernel row; otherwise the reverse.
void add_strip(const ConvLoops& l, bool by_channel, const float* x, const float* dy,
               std::int64_t rows, float* sums) {
  const D d;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t panel = ops::kTileVectors * lanes;
  const std::int64_t m = by_channel ? l.co : l.run, n = by_channel ? l.run : l.co;
  for (std::int64_t k = 0; k < l.kh; ++k) {
    const float* const at = x + k * l.dh * l.row;
    for (std::int64_t j = 0; j < n; j += panel) {
      const std::int64_t num_columns = std::min(panel, n - j),
                         vectors = (num_columns + lanes - 1) / lanes;
      ops::Tile<float> t{.k = l.wo,
                         .a = dy,
                         .a_row = 1,
                         .a_col = l.co,
                         .b = at + j,
                         .b_row = l.sw * l.ci,
                         .c = sums + k * m * n + j,
                         .c_row = n,
                         .last = static_cast<std::size_t>(num_columns - (vectors - 1) * lanes),
                         .outer = rows,
                         .a_outer = l.wo * l.co,
                         .b_outer = l.sh * l.row};
      if (!by_channel) {
        t.a = at;
        t.b = dy + j;
        std::swap(t.a_col, t.b_row);
        std::swap(t.a_outer, t.b_outer);
      }
      ops::tile_columns<true>(d, static_cast<int>(vectors), m, t, {.accumulate = true});
    }
  }
}

/// Returns the fraction of the lanes of whole vectors that n columns use.
double lane_utilization(std::int64_t n) {
  return static_cast<double>(n) /
         static_cast<double>(round_up(n, static_cast<std::int64_t>(hn::Lanes(D()))));
}

void run_backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw,
                          float* db) {
  const ConvLoops l(c);
  const bool by_channel = lane_utilization(l.run) > lane_utilization(l.co);
  const std::int64_t taps = l.kh * l.kw, size = l.co * l.kh * l.run;
  // A strip of both operands fits in the first-level cache.
  const WorkUnits units(l.n, l.ho, 6 * 1024 / (l.wo * l.co + l.sh * l.row));
  const bool in_blocks = LineBlocks::apply(l);
  const LineBlocks blocks(l);
  SliceSums slices(size + l.co, in_blocks ? blocks.count : units.count, l.multiply_adds());
  const float* const sums = slices.compute([&](std::int64_t begin, std::int64_t end, float* to) {
    if (in_blocks) {
      const Scratch part(static_cast<std::size_t>(blocks.max_floats()) * sizeof(float));
      blocks.for_each(begin, end, x, part.as<float>(),
                      [&](const ConvLoops& of_part, const float* from, std::int64_t pixel) {
                        const float* const g = dy + pixel * l.co;
                        add_strip(of_part, by_channel, from, g, 1, to);
                        if (db != nullptr) column_sums(of_part.wo, l.co, g, l.co, to + size, true);
                      });
      return;
    }
    const Scratch image(
        static_cast<std::size_t>(l.padded ? l.rows_for(0, units.strip) * l.row : 0) *
        sizeof(float));
    units.for_each(begin, end, [&](std::int64_t i, std::int64_t h0, std::int64_t h1) {
      const float* const from =
          padded_rows(l, x, i, l.first_row(h0), l.rows_for(h0, h1), image.as<float>());
      const float* const g = dy + (i * l.ho + h0) * l.wo * l.co;
      add_strip(l, by_channel, from, g, h1 - h0, to);
      if (db != nullptr) column_sums((h1 - h0) * l.wo, l.co, g, l.co, to + size, true);
    });
  });
  if (db != nullptr) std::memcpy(db, sums + size, static_cast<std::size_t>(l.co) * sizeof(float));
  // Copies the sums to (O, C, KH, KW).
  const std::int64_t stride_o = by_channel ? l.run : 1, stride_q = by_channel ? 1 : l.co;
  parallel_for(0, l.co, 1 + 32768 / (taps * l.ci), [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t o = b; o < e; ++o)
      for (std::int64_t tap = 0; tap < taps; ++tap) {
        const float* from =
            sums + tap / l.kw * l.co * l.run + o * stride_o + tap % l.kw * l.ci * stride_q;
        float* to = dw + o * l.ci * taps + tap;
        for (std::int64_t c = 0; c < l.ci; ++c, from += stride_q, to += taps) *to = *from;
      }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_native
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_native {
HWY_EXPORT(run_backward_weights);
void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db) {
  HWY_DYNAMIC_DISPATCH(run_backward_weights)(c, x, dy, dw, db);
}
}  // namespace taper::cpu::conv_native
#endif
