// Targets of grouped convolutions: register tiles of pixels of a row by vectors of channels, which
// read the source in place.
#include "cpu/conv/grouped.h"

#include "cpu/conv/native.h"
#include "cpu/scratch.h"
#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/conv/grouped.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/conv/grouped-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_grouped {
namespace HWY_NAMESPACE {

/// Operands of a span in one row of the target, for some vectors of a block.
struct Operands {
  const std::vector<SourceRows::Row>& rows;
  std::int64_t x_at;     // floats from the start of a source row
  const float* weights;  // of the first kernel column
  const float* bias;
  float* y;
};

/// Pixels of a span. Distances are numbers of floats.
struct Pixels {
  const SpreadLanes& lanes;
  std::int64_t count, num_taps, x_step, tap_step, kernel_row_floats, tap_floats, width, in, y_step;
  std::size_t last = 0;  // lanes of the last vector that are channels

  /// Computes P pixels.
  template <Form kForm, int P, int V, bool kTail>
  HWY_INLINE void tile(const Operands& o, std::int64_t first) const {
    const D d;
    const std::int64_t n = num_lanes();
    // Independent sums of each result, where there are few results.
    constexpr int kChains = kForm == Form::depthwise || P * V >= 4 ? 1 : P * V == 1 ? 4 : 2;
    // A pointer for three pixels each, because addresses have one index.
    constexpr int kPointers = (P + 2) / 3;
    Vec sums[kChains][P][V];
    HWY_UNROLL(4)
    for (int v = 0; v < V; ++v) {
      Vec start = hn::Zero(d);
      if (o.bias != nullptr)
        start = v == V - 1 ? load<kTail>(o.bias + v * n, last) : hn::LoadU(d, o.bias + v * n);
      HWY_UNROLL(14)
      for (int p = 0; p < P; ++p) {
        sums[0][p][v] = start;
        HWY_UNROLL(4)
        for (int c = 1; c < kChains; ++c) sums[c][p][v] = hn::Zero(d);
      }
    }
    const std::int64_t step = x_step, from = o.x_at + first * step;
    for (const SourceRows::Row& row : o.rows) {
      const float* HWY_RESTRICT x = row.source + from;
      const float* HWY_RESTRICT w = o.weights + row.kernel_row * kernel_row_floats;
      for (std::int64_t t = 0; t < num_taps; ++t, x += tap_step, w += tap_floats) {
        const float* HWY_RESTRICT at[kPointers];
        HWY_UNROLL(5)
        for (int q = 0; q < kPointers; ++q) at[q] = x + 3 * q * step;
        if constexpr (kForm == Form::depthwise) {
          Vec tap_weights[V];
          HWY_UNROLL(4)
          for (int v = 0; v < V; ++v) tap_weights[v] = hn::LoadU(d, w + v * n);
          HWY_UNROLL(14)
          for (int p = 0; p < P; ++p) {
            HWY_UNROLL(4)
            for (int v = 0; v < V; ++v)
              sums[0][p][v] = hn::MulAdd(load<kTail>(at[p / 3] + p % 3 * step + v * n, last),
                                         tap_weights[v], sums[0][p][v]);
          }
        } else {
          const auto multiply = [&](std::int64_t k, auto chain) HWY_ATTR {
            constexpr int kChain = decltype(chain)::value;
            Vec channel_weights[V];
            HWY_UNROLL(4)
            for (int v = 0; v < V; ++v) channel_weights[v] = hn::LoadU(d, w + k * width + v * n);
            HWY_UNROLL(14)
            for (int p = 0; p < P; ++p) {
              const float* const from_pixel = at[p / 3] + p % 3 * step;
              const Vec value = kForm == Form::spread
                                    ? lanes.spread(load<kTail>(from_pixel, last), k)
                                    : hn::Set(d, from_pixel[k]);
              HWY_UNROLL(4)
              for (int v = 0; v < V; ++v)
                sums[kChain][p][v] = hn::MulAdd(value, channel_weights[v], sums[kChain][p][v]);
            }
          };
          std::int64_t k = 0;
          for (; k + kChains <= in; k += kChains) {
            multiply(k, std::integral_constant<int, 0>());
            if constexpr (kChains > 1) multiply(k + 1, std::integral_constant<int, 1>());
            if constexpr (kChains > 2) multiply(k + 2, std::integral_constant<int, 2>());
            if constexpr (kChains > 3) multiply(k + 3, std::integral_constant<int, 3>());
          }
          for (; k < in; ++k) multiply(k, std::integral_constant<int, 0>());
        }
      }
    }
    HWY_UNROLL(14)
    for (int p = 0; p < P; ++p) {
      HWY_UNROLL(4)
      for (int v = 0; v < V; ++v) {
        Vec sum = sums[0][p][v];
        HWY_UNROLL(4)
        for (int c = 1; c < kChains; ++c) sum = hn::Add(sum, sums[c][p][v]);
        float* const to = o.y + (first + p) * y_step + v * n;
        if constexpr (kTail) {
          if (v == V - 1) {
            ops::store_n(sum, d, to, last);
            continue;
          }
        }
        hn::StoreU(sum, d, to);
      }
    }
  }

  /// Computes all pixels. The last two tiles are of approximately equal size.
  template <Form kForm, int V, bool kTail = false>
  HWY_NOINLINE void compute(const Operands& o) const {
    constexpr int kMost = kRegisters == 16                     ? (V == 2 ? 6 : 8)
                          : V == 4                             ? 6
                          : V == 1 && kForm == Form::broadcast ? 14
                                                               : 8;
    for (std::int64_t first = 0; first < count;) {
      const std::int64_t left = count - first, pixels = left >= 2 * kMost ? kMost
                                                        : left > kMost    ? (left + 1) / 2
                                                                          : left;
      with_constant<kMost>(
          pixels, [&](auto p) HWY_ATTR { tile<kForm, decltype(p)::value, V, kTail>(o, first); });
      first += pixels;
    }
  }
};

/// Packs the weights of a convolution, (O, C / groups, kernel...): by block, kernel row, kernel
/// column in the order of `columns`, channel of the source, lane.
void pack(const Pass& p, const Columns& columns, const Blocks& blocks, const float* w, float* to) {
  const std::int64_t taps = p.taps(), kernel_rows = p.kernel[0] * p.kernel[1];
  // Strides of the channel of the target within its group, and of the source.
  const std::int64_t of_target = p.transposed ? taps : p.in * taps,
                     of_source = p.transposed ? p.out * taps : taps;
  std::vector<const float*> lane_weights(static_cast<std::size_t>(blocks.width));
  for (std::int64_t block = 0; block < blocks.count; ++block) {
    const std::int64_t c0 = blocks.first_channel(block), channels = blocks.channels(block);
    for (std::int64_t l = 0; l < channels; ++l)
      lane_weights[static_cast<std::size_t>(l)] =
          w + (c0 + l) / p.out * p.in * p.out * taps + (c0 + l) % p.out * of_target;
    for (std::int64_t row = 0; row < kernel_rows; ++row)
      for (const std::int64_t tap : columns.taps)
        for (std::int64_t k = 0; k < p.in; ++k, to += blocks.width) {
          const std::int64_t at = k * of_source + row * p.kernel[2] + tap;
          for (std::int64_t l = 0; l < channels; ++l)
            to[l] = lane_weights[static_cast<std::size_t>(l)][at];
          std::fill(to + channels, to + blocks.width, 0.0f);
        }
  }
}

/// Computes blocks of rows of the target.
class TargetRows {
 public:
  TargetRows(const Pass& p, const Columns& columns, const Blocks& blocks, const float* source,
             const float* weights, const float* bias, float* target, const Strips& strips)
      : p_(p),
        blocks_(blocks),
        lanes_(blocks),
        source_(p, columns, blocks, strips, source, false),
        weights_(weights),
        bias_(bias),
        target_(target) {
    const std::int64_t source_pixel = source_.pixel(), pixel = p.groups * p.out;
    row_floats_ = static_cast<std::int64_t>(columns.taps.size()) * blocks.tap_floats();
    for (const Span& span : source_.spans())
      spans_.push_back({.pixels = {.lanes = lanes_,
                                   .count = span.count,
                                   .num_taps = span.num_taps,
                                   .x_step = columns.source_step * source_pixel,
                                   .tap_step = columns.tap_step * source_pixel,
                                   .kernel_row_floats = row_floats_,
                                   .tap_floats = blocks.tap_floats(),
                                   .width = blocks.width,
                                   .in = blocks.in,
                                   .y_step = columns.step * pixel},
                        .x_at = span.source * source_pixel,
                        .weights_at = span.first_tap * blocks.tap_floats(),
                        .y_at = span.first * pixel});
  }

  void compute(std::int64_t first_row, std::int64_t end_row, std::int64_t first_block,
               std::int64_t end_block) {
    source_.select_rows(first_row, end_row);
    for (std::int64_t block = first_block; block < end_block; ++block) {
      source_.select_block(block);
      compute_block(first_row, block);
    }
  }

 private:
  struct TargetSpan {
    Pixels pixels;
    std::int64_t x_at, weights_at, y_at;
  };

  void compute_block(std::int64_t row, std::int64_t block) {
    const std::int64_t channels = blocks_.channels(block), c = blocks_.first_channel(block),
                       x_at = source_.block_at(block), line = p_.target[2] * p_.groups * p_.out;
    const float* const weights = weights_ + block * p_.kernel[0] * p_.kernel[1] * row_floats_;
    for (TargetSpan& span : spans_) span.pixels.last = last_lanes(channels);
    for (const SourceRows& source : source_.rows()) {
      for (const TargetSpan& span : spans_)
        compute_span(span.pixels,
                     {.rows = source.rows,
                      .x_at = x_at + span.x_at,
                      .weights = weights + span.weights_at,
                      .bias = bias_ != nullptr ? bias_ + c : nullptr,
                      .y = target_ + row * line + span.y_at + c},
                     channels);
      ++row;
    }
  }

  void compute_span(const Pixels& pixels, Operands o, std::int64_t channels) const {
    const std::int64_t n = num_lanes();
    if (blocks_.form == Form::depthwise) {
      constexpr Form kForm = Form::depthwise;
      while (channels >= n) {
        const std::int64_t vectors = std::min<std::int64_t>(channels / n, kDepthwiseVectors);
        with_constant<kDepthwiseVectors>(
            vectors, [&](auto v) HWY_ATTR { pixels.compute<kForm, decltype(v)::value>(o); });
        const std::int64_t done = vectors * n;
        o.x_at += done, o.weights += done, o.y += done, channels -= done;
        if (o.bias != nullptr) o.bias += done;
      }
      if (channels > 0) pixels.compute<kForm, 1, true>(o);
    } else if (blocks_.form == Form::spread) {
      channels == n ? pixels.compute<Form::spread, 1>(o) : pixels.compute<Form::spread, 1, true>(o);
    } else if (channels <= n) {
      channels == n ? pixels.compute<Form::broadcast, 1>(o)
                    : pixels.compute<Form::broadcast, 1, true>(o);
    } else {
      channels == 2 * n ? pixels.compute<Form::broadcast, 2>(o)
                        : pixels.compute<Form::broadcast, 2, true>(o);
    }
  }

  const Pass& p_;
  const Blocks& blocks_;
  const SpreadLanes lanes_;
  StripSource source_;
  const float *weights_, *bias_;
  float* target_;
  std::int64_t row_floats_;
  std::vector<TargetSpan> spans_;
};

void run_target(const Pass& p, const float* source, const float* w, const float* bias,
                float* target, PrepackedWeightCache* cache) {
  const Columns columns(p);
  const Blocks blocks(p, num_lanes(), kDepthwiseVectors);
  const std::int64_t floats = blocks.count * p.taps() * blocks.tap_floats();
  const Scratch packed(cache != nullptr ? 0 : static_cast<std::size_t>(floats) * sizeof(float));
  const float* const weights = conv_native::packed_weights(
      cache,
      {p.transposed ? conv_native::PackedLayout::Kind::grouped_backward
                    : conv_native::PackedLayout::Kind::grouped_forward,
       blocks.width, floats, p.groups},
      packed.as<float>(), [&](float* to) { pack(p, columns, blocks, w, to); });
  // Strips of rows are divided by blocks if there are too few for the threads. The results do not
  // depend on it.
  const Strips strips(p, blocks);
  const std::int64_t parts = std::clamp<std::int64_t>(
      (4 * available_threads() + strips.count - 1) / strips.count, 1, blocks.count);
  const std::int64_t units = strips.count * parts;
  parallel_for(0, units, conv_grain(p.multiply_adds(), units), [&](std::int64_t b, std::int64_t e) {
    TargetRows kernel(p, columns, blocks, source, weights, bias, target, strips);
    for (std::int64_t u = b; u < e; ++u) {
      const std::int64_t strip = u % strips.count, part = u / strips.count;
      kernel.compute(strips.begin(strip), strips.end(strip), blocks.count * part / parts,
                     blocks.count * (part + 1) / parts);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_grouped
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu::conv_grouped {
HWY_EXPORT(run_target);
void compute_target(const Pass& p, const float* source, const float* w, const float* bias,
                    float* target, PrepackedWeightCache* cache) {
  HWY_DYNAMIC_DISPATCH(run_target)(p, source, w, bias, target, cache);
}
}  // namespace taper::cpu::conv_grouped
#endif
