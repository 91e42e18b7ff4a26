// Depthwise convolutions: every channel is a group.
#include "cpu/conv/depthwise.h"

#include <algorithm>

#include "cpu/conv/geometry.h"
#include "cpu/conv/slice_sums.h"
#include "cpu/conv/work.h"
#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"

namespace taper::cpu::conv_depthwise {
namespace {

// Output pixels whose taps are listed at once.
constexpr std::int64_t kBlock = 64;

// Calls f(taps, first output pixel) for blocks of output pixels [begin, end).
template <class F>
void for_each_block(const ConvGeometry& g, std::int64_t begin, std::int64_t end, F&& f) {
  Taps taps;
  for (std::int64_t p = begin; p < end; p += kBlock) {
    taps.first.assign(1, 0);
    taps.input.clear(), taps.tap.clear();
    std::int64_t pixel = p;
    const auto finish_pixel = [&] {
      taps.first.push_back(static_cast<std::int64_t>(taps.input.size()));
      ++pixel;
    };
    g.for_each_run(p, std::min(p + kBlock, end), [&](const ConvGeometry::Run& run) {
      if (run.output != pixel) finish_pixel();
      for (std::int64_t i = 0; run.input >= 0 && i < run.count; ++i) {
        taps.input.push_back(run.input + i);
        taps.tap.push_back(run.tap + i);
      }
    });
    finish_pixel();
    f(taps, p);
  }
}

// Weights (C, 1, kernel...) transposed to (kernel..., C).
class TransposedWeights {
 public:
  TransposedWeights(const ConvGeometry& g, const float* w)
      : scratch_(static_cast<std::size_t>(g.taps * g.c.in_channels) * sizeof(float)) {
    for (std::int64_t c = 0; c < g.c.in_channels; ++c)
      for (std::int64_t t = 0; t < g.taps; ++t)
        scratch_.as<float>()[t * g.c.in_channels + c] = w[c * g.taps + t];
  }
  const float* data() const { return scratch_.as<float>(); }

 private:
  Scratch scratch_;
};

}  // namespace

bool is_supported(const ConvParams& c) {
  return c.groups == c.in_channels && c.groups == c.out_channels;
}

void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* /*cache*/) {
  const ConvGeometry g(c);
  const TransposedWeights weights(g, w);
  const std::int64_t pixels = c.batch * g.pixels;
  parallel_for(0, pixels, conv_grain(g.multiply_adds(), pixels),
               [&](std::int64_t b, std::int64_t e) {
                 for_each_block(g, b, e, [&](const Taps& taps, std::int64_t first) {
                   forward_pixels({.taps = &taps,
                                   .channels = c.in_channels,
                                   .x = x,
                                   .weights = weights.data(),
                                   .bias = bias,
                                   .dy = nullptr,
                                   .y = y + first * c.in_channels,
                                   .dx = nullptr,
                                   .dw = nullptr});
                 });
               });
}

void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* /*cache*/) {
  const ConvGeometry g(c);
  const TransposedWeights weights(g, w);
  parallel_for(
      0, c.batch, conv_grain(g.multiply_adds(), c.batch), [&](std::int64_t b, std::int64_t e) {
        std::fill(dx + b * g.inputs * c.in_channels, dx + e * g.inputs * c.in_channels, 0.0f);
        for_each_block(g, b * g.pixels, e * g.pixels, [&](const Taps& taps, std::int64_t first) {
          backward_data_pixels({.taps = &taps,
                                .channels = c.in_channels,
                                .x = nullptr,
                                .weights = weights.data(),
                                .bias = nullptr,
                                .dy = dy + first * c.in_channels,
                                .y = nullptr,
                                .dx = dx,
                                .dw = nullptr});
        });
      });
}

void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db) {
  const ConvGeometry g(c);
  const std::int64_t pixels = c.batch * g.pixels, size = g.taps * c.in_channels;
  SliceSums slices(size, pixels, g.multiply_adds());
  const float* const sums = slices.compute([&](std::int64_t begin, std::int64_t end, float* to) {
    for_each_block(g, begin, end, [&](const Taps& taps, std::int64_t first) {
      backward_weights_pixels({.taps = &taps,
                               .channels = c.in_channels,
                               .x = x,
                               .weights = nullptr,
                               .bias = nullptr,
                               .dy = dy + first * c.in_channels,
                               .y = nullptr,
                               .dx = nullptr,
                               .dw = to});
    });
  });
  for (std::int64_t channel = 0; channel < c.in_channels; ++channel)
    for (std::int64_t t = 0; t < g.taps; ++t)
      dw[channel * g.taps + t] = sums[t * c.in_channels + channel];
  if (db != nullptr) column_sums(pixels, c.out_channels, dy, c.out_channels, db, false);
}

}  // namespace taper::cpu::conv_depthwise
