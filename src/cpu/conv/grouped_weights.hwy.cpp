// Gradient of the weights of grouped convolutions: sums over pixels of a row in registers, for
// several kernel positions or channels at a time.
#include "cpu/conv/grouped.h"
#include "cpu/conv/slice_sums.h"
#include "cpu/gemm/gemm.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/grouped_weights.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/conv/grouped-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_grouped {
namespace HWY_NAMESPACE {

/// Source pixels, and the sums of the kernel position that they belong to.
struct SumRow {
  const float* x;
  float* sums;
};

/// Pixels of a span of a row of dy, for some channels. Distances are numbers of floats.
struct Products {
  const SpreadLanes& lanes;
  const float* dy;
  std::int64_t count, x_step, tap_step, dy_step;
  std::int64_t width, tap_floats;  // between sums of channels of the source, and of kernel columns
  std::size_t last;                // lanes that are channels

  /// Adds the products of T kernel columns and R kernel rows, from `first` of those of the target
  /// rows on. The target rows multiply the same rows of the kernel; x_at is the position of the
  /// source in each row.
  template <int R, int T, bool kTail>
  HWY_NOINLINE void add_taps(std::span<const SourceRows> target_rows, std::size_t first,
                             std::int64_t x_at, std::int64_t dy_row, float* sums,
                             std::int64_t kernel_row_floats) const {
    const D d;
    float* to[R];
    Vec total[R][T];
    HWY_UNROLL(3)
    for (int r = 0; r < R; ++r) {
      to[r] = sums + target_rows[0].rows[first + static_cast<std::size_t>(r)].kernel_row *
                         kernel_row_floats;
      HWY_UNROLL(8)
      for (int t = 0; t < T; ++t) total[r][t] = hn::LoadU(d, to[r] + t * tap_floats);
    }
    const float* row_dy = dy;
    const std::int64_t step = tap_step;
    for (const SourceRows& target_row : target_rows) {
      const float* HWY_RESTRICT x[R];
      HWY_UNROLL(3)
      for (int r = 0; r < R; ++r)
        x[r] = target_row.rows[first + static_cast<std::size_t>(r)].source + x_at;
      const float* HWY_RESTRICT g = row_dy;
      for (std::int64_t i = 0; i < count; ++i, g += dy_step) {
        const Vec gradient = load<kTail>(g, last);
        HWY_UNROLL(3)
        for (int r = 0; r < R; ++r) {
          HWY_UNROLL(8)
          for (int t = 0; t < T; ++t)
            total[r][t] = hn::MulAdd(load<kTail>(x[r] + t * step, last), gradient, total[r][t]);
          x[r] += x_step;
        }
      }
      row_dy += dy_row;
    }
    HWY_UNROLL(3)
    for (int r = 0; r < R; ++r) {
      HWY_UNROLL(8)
      for (int t = 0; t < T; ++t) hn::StoreU(total[r][t], d, to[r] + t * tap_floats);
    }
  }

  /// Adds the products of T kernel columns with K channels of each group.
  template <int T, int K, bool kTail>
  HWY_NOINLINE void add_spread(const SumRow& row, std::int64_t k) const {
    const D d;
    float* const sums = row.sums + k * width;
    Vec total[T][K];
    HWY_UNROLL(3)
    for (int t = 0; t < T; ++t) {
      HWY_UNROLL(8)
      for (int c = 0; c < K; ++c) total[t][c] = hn::LoadU(d, sums + t * tap_floats + c * width);
    }
    const float* HWY_RESTRICT g = dy;
    const float* HWY_RESTRICT x = row.x;
    for (std::int64_t i = 0; i < count; ++i, g += dy_step, x += x_step) {
      const Vec gradient = load<kTail>(g, last);
      HWY_UNROLL(3)
      for (int t = 0; t < T; ++t) {
        const Vec value = load<kTail>(x + t * tap_step, last);
        HWY_UNROLL(8)
        for (int c = 0; c < K; ++c)
          total[t][c] = hn::MulAdd(lanes.spread(value, k + c), gradient, total[t][c]);
      }
    }
    HWY_UNROLL(3)
    for (int t = 0; t < T; ++t) {
      HWY_UNROLL(8)
      for (int c = 0; c < K; ++c) hn::StoreU(total[t][c], d, sums + t * tap_floats + c * width);
    }
  }

  /// Adds the products of K channels of the source with V vectors of dy.
  template <int K, int V, bool kTail>
  HWY_NOINLINE void add_channels(const SumRow& row, std::int64_t k) const {
    const D d;
    const std::int64_t n = num_lanes();
    float* const sums = row.sums + k * width;
    Vec total[K][V];
    HWY_UNROLL(12)
    for (int c = 0; c < K; ++c) {
      HWY_UNROLL(2)
      for (int v = 0; v < V; ++v) total[c][v] = hn::LoadU(d, sums + c * width + v * n);
    }
    const float* HWY_RESTRICT g = dy;
    const float* HWY_RESTRICT x = row.x + k;
    for (std::int64_t i = 0; i < count; ++i, g += dy_step, x += x_step) {
      Vec gradients[V];
      HWY_UNROLL(2)
      for (int v = 0; v < V; ++v)
        gradients[v] = v == V - 1 ? load<kTail>(g + v * n, last) : hn::LoadU(d, g + v * n);
      HWY_UNROLL(12)
      for (int c = 0; c < K; ++c) {
        const Vec value = hn::Set(d, x[c]);
        HWY_UNROLL(2)
        for (int v = 0; v < V; ++v) total[c][v] = hn::MulAdd(value, gradients[v], total[c][v]);
      }
    }
    HWY_UNROLL(12)
    for (int c = 0; c < K; ++c) {
      HWY_UNROLL(2)
      for (int v = 0; v < V; ++v) hn::StoreU(total[c][v], d, sums + c * width + v * n);
    }
  }
};

/// Adds the products of a vector of a depthwise convolution, for `num_taps` kernel columns, as
/// Products::add_taps.
template <bool kTail> void add_taps(const Products& p, std::span<const SourceRows> target_rows,
                                    std::int64_t num_taps, std::int64_t x_at, std::int64_t dy_row,
                                    float* sums, std::int64_t kernel_row_floats) {
  const std::size_t kernel_rows = target_rows[0].rows.size();
  for (std::int64_t t = 0; t < num_taps;) {
    const std::int64_t left = num_taps - t, taps = left <= 8 ? left : 4;
    // Several rows together fill the registers.
    const std::size_t joined = taps <= 3 ? 3 : taps <= 5 ? 2 : 1;
    for (std::size_t r = 0; r < kernel_rows; r += joined) {
      const auto rows = static_cast<std::int64_t>(std::min(joined, kernel_rows - r));
      with_constant<8>(taps, [&](auto taps_constant) HWY_ATTR {
        constexpr int kTaps = decltype(taps_constant)::value;
        with_constant<kTaps <= 3   ? 3
                      : kTaps <= 5 ? 2
                                   : 1>(rows, [&](auto rows_constant) HWY_ATTR {
          p.add_taps<decltype(rows_constant)::value, kTaps, kTail>(
              target_rows, r, x_at + t * p.tap_step, dy_row, sums + t * p.tap_floats,
              kernel_row_floats);
        });
      });
    }
    t += taps;
  }
}

/// As add_taps, of a convolution with `in` channels per group.
template <bool kTail>
void add_spread(const Products& p, SumRow row, std::int64_t num_taps, std::int64_t in) {
  constexpr int kTaps = kRegisters == 32 ? 3 : 1;
  for (std::int64_t t = 0; t < num_taps;) {
    const std::int64_t taps = std::min<std::int64_t>(kTaps, num_taps - t);
    with_constant<kTaps>(taps, [&](auto taps_constant) HWY_ATTR {
      constexpr int kT = decltype(taps_constant)::value;
      std::int64_t k = 0;
      for (; k + 8 <= in; k += 8) p.add_spread<kT, 8, kTail>(row, k);
      for (; k + 4 <= in; k += 4) p.add_spread<kT, 4, kTail>(row, k);
      for (; k < in; ++k) p.add_spread<kT, 1, kTail>(row, k);
    });
    row.x += taps * p.tap_step, row.sums += taps * p.tap_floats;
    t += taps;
  }
}

/// As add_spread, where all channels of the block multiply each channel of the source.
template <int V, bool kTail>
void add_channels(const Products& p, SumRow row, std::int64_t num_taps, std::int64_t in) {
  constexpr int kMost = kRegisters == 16 && V == 2 ? 4 : 8;
  for (std::int64_t t = 0; t < num_taps; ++t) {
    std::int64_t k = 0;
    for (; k + kMost <= in; k += kMost) p.add_channels<kMost, V, kTail>(row, k);
    for (; k + 2 <= in; k += 2) p.add_channels<2, V, kTail>(row, k);
    for (; k < in; ++k) p.add_channels<1, V, kTail>(row, k);
    row.x += p.tap_step, row.sums += p.tap_floats;
  }
}

/// Sums of strips of rows, by block, kernel row, kernel column, channel of the source, lane.
class StripSums {
 public:
  StripSums(const Pass& p, const Columns& columns, const Blocks& blocks, const Strips& strips,
            const float* x, const float* dy, float* sums)
      : p_(p),
        columns_(columns),
        blocks_(blocks),
        lanes_(blocks),
        source_(p, columns, blocks, strips, x, true),
        dy_(dy),
        sums_(sums) {}

  void add(std::int64_t first_row, std::int64_t end_row) {
    source_.select_rows(first_row, end_row);
    const std::span<const SourceRows> strip = source_.rows();
    for (std::int64_t block = 0; block < blocks_.count; ++block) {
      source_.select_block(block);
      for (std::size_t begin = 0; begin < strip.size();) {
        const std::size_t end = end_of_group(strip, begin);
        for (const Span& span : source_.spans())
          add_span(first_row + static_cast<std::int64_t>(begin), strip.subspan(begin, end - begin),
                   block, span);
        begin = end;
      }
    }
  }

 private:
  /// Returns the end of the rows from `begin` on that multiply the same rows of the kernel.
  static std::size_t end_of_group(std::span<const SourceRows> strip, std::size_t begin) {
    const auto same = [&](const SourceRows& a, const SourceRows& b) {
      return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                        [](const SourceRows::Row& i, const SourceRows::Row& j) {
                          return i.kernel_row == j.kernel_row;
                        });
    };
    std::size_t end = begin + 1;
    while (end < strip.size() && same(strip[begin], strip[end])) ++end;
    return end;
  }

  /// Adds the products of rows that multiply the same rows of the kernel.
  void add_span(std::int64_t row, std::span<const SourceRows> rows, std::int64_t block,
                const Span& span) {
    const std::int64_t n = num_lanes(), pixel = p_.groups * p_.out, line = p_.target[2] * pixel;
    const std::int64_t x_at = span.source * source_.pixel() + source_.block_at(block);
    const std::int64_t row_floats = p_.kernel[2] * blocks_.tap_floats();
    float* const sums = sums_ + (block * p_.taps() + span.first_tap) * blocks_.tap_floats();
    const std::int64_t channels = blocks_.channels(block);
    Products p{.lanes = lanes_,
               .dy = dy_ + row * line + span.first * pixel + blocks_.first_channel(block),
               .count = span.count,
               .x_step = columns_.source_step * source_.pixel(),
               .tap_step = columns_.tap_step * source_.pixel(),
               .dy_step = pixel,
               .width = blocks_.width,
               .tap_floats = blocks_.tap_floats(),
               .last = last_lanes(channels)};
    if (blocks_.form == Form::depthwise) {
      for (std::int64_t c = 0; c < channels; c += n, p.dy += n)
        c + n <= channels
            ? add_taps<false>(p, rows, span.num_taps, x_at + c, line, sums + c, row_floats)
            : add_taps<true>(p, rows, span.num_taps, x_at + c, line, sums + c, row_floats);
      return;
    }
    for (const SourceRows& of_target : rows) {
      for (const SourceRows::Row& r : of_target.rows)
        add_row(p, {r.source + x_at, sums + r.kernel_row * row_floats}, channels, span.num_taps);
      p.dy += line;
    }
  }

  void add_row(const Products& p, const SumRow& row, std::int64_t channels,
               std::int64_t num_taps) const {
    const std::int64_t n = num_lanes();
    if (blocks_.form == Form::spread)
      channels == n ? add_spread<false>(p, row, num_taps, p_.in)
                    : add_spread<true>(p, row, num_taps, p_.in);
    else if (channels <= n)
      channels == n ? add_channels<1, false>(p, row, num_taps, p_.in)
                    : add_channels<1, true>(p, row, num_taps, p_.in);
    else
      channels == 2 * n ? add_channels<2, false>(p, row, num_taps, p_.in)
                        : add_channels<2, true>(p, row, num_taps, p_.in);
  }

  const Pass& p_;
  const Columns& columns_;
  const Blocks& blocks_;
  const SpreadLanes lanes_;
  StripSource source_;
  const float* dy_;
  float* sums_;
};

/// Copies sums to the order of weights, (O, C / groups, kernel...).
void unpack(const Pass& p, const Blocks& blocks, const float* sums, float* dw) {
  const std::int64_t taps = p.taps();
  parallel_for(0, blocks.count, 1 + 32768 / (taps * blocks.tap_floats()),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t block = begin; block < end; ++block) {
                   const float* const from = sums + block * taps * blocks.tap_floats();
                   float* const to = dw + blocks.first_channel(block) * p.in * taps;
                   for (std::int64_t l = 0; l < blocks.channels(block); ++l)
                     for (std::int64_t k = 0; k < p.in; ++k)
                       for (std::int64_t t = 0; t < taps; ++t)
                         to[(l * p.in + k) * taps + t] = from[(t * p.in + k) * blocks.width + l];
                 }
               });
}

void run_weight_gradient(const Pass& p, const float* x, const float* dy, float* dw, float* db) {
  const Columns columns(p);
  const Blocks blocks(p, num_lanes(), kDepthwiseVectors);
  const Strips strips(p, blocks);
  const std::int64_t size = blocks.count * p.taps() * blocks.tap_floats();
  const std::int64_t pixel = p.groups * p.out, line = p.target[2] * pixel;
  SliceSums slices(size + pixel, strips.count, p.multiply_adds());
  const float* const total = slices.compute([&](std::int64_t begin, std::int64_t end, float* sums) {
    StripSums strip_sums(p, columns, blocks, strips, x, dy, sums);
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t first = strips.begin(s), rows = strips.end(s) - first;
      strip_sums.add(first, first + rows);
      if (db != nullptr)
        column_sums(rows * p.target[2], pixel, dy + first * line, pixel, sums + size, true);
    }
  });
  unpack(p, blocks, total, dw);
  if (db != nullptr) std::copy_n(total + size, pixel, db);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_grouped
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_grouped {
HWY_EXPORT(run_weight_gradient);
void compute_weight_gradient(const Pass& p, const float* x, const float* dy, float* dw, float* db) {
  HWY_DYNAMIC_DISPATCH(run_weight_gradient)(p, x, dy, dw, db);
}
}  // namespace taper::cpu::conv_grouped
#endif
