// Convolutions as matrix products, for any number of dimensions, groups and dilations: the pixels
// that each output pixel reads are copied to a row of `columns`, ordered by kernel position and
// channel. Blocks of output pixels are fixed, so that results do not depend on the number of
// threads.
#include <algorithm>
#include <cstring>

#include "cpu/conv/geometry.h"
#include "cpu/conv/native.h"
#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"

namespace taper::cpu::conv_columns {
namespace {

std::size_t bytes(std::int64_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

// Number of floats of the columns of a block of output pixels, which fit in the second-level cache.
constexpr std::int64_t kBlockFloats = 48 * 1024;

// A convolution in terms of its products, one per group.
struct Products : ConvGeometry {
  std::int64_t in, out;        // channels per group
  std::int64_t depth;          // length of a row of columns
  bool copies;                 // false if the rows of the input are the rows of the columns
  std::int64_t block, blocks;  // output pixels per block, and blocks of the batch

  explicit Products(const ConvParams& params)
      : ConvGeometry(params),
        in(c.in_channels / c.groups),
        out(c.out_channels / c.groups),
        depth(taps * in),
        copies(taps > 1 || c.stride != Indices{1, 1, 1} || c.input != c.output),
        block(std::clamp<std::int64_t>(kBlockFloats / depth, 16, 1024)),
        blocks((c.batch * pixels + block - 1) / block) {}

  // Writes the columns of a group for output pixels [begin, end).
  void gather(const float* x, std::int64_t group, std::int64_t begin, std::int64_t end,
              float* columns) const {
    for_each_run(begin, end, [&](const Run& run) {
      float* const to = columns + (run.output - begin) * depth + run.tap * in;
      if (run.input < 0)
        std::memset(to, 0, bytes(run.count * in));
      else if (c.groups == 1)
        std::memcpy(to, x + run.input * in, bytes(run.count * in));
      else
        for (std::int64_t i = 0; i < run.count; ++i)
          std::memcpy(to + i * in, x + (run.input + i) * c.in_channels + group * in, bytes(in));
    });
  }

  // Adds the gradient of the columns to the pixels that they were copied from.
  void scatter(const float* columns, std::int64_t group, std::int64_t begin, std::int64_t end,
               float* dx) const {
    for_each_run(begin, end, [&](const Run& run) {
      if (run.input < 0) return;
      for (std::int64_t i = 0; i < run.count; ++i) {
        const float* const from = columns + (run.output - begin) * depth + (run.tap + i) * in;
        float* const to = dx + (run.input + i) * c.in_channels + group * in;
        for (std::int64_t j = 0; j < in; ++j) to[j] += from[j];
      }
    });
  }

  // Reorders (O, C / groups, kernel...) to (O, kernel..., C / groups) or back.
  template <bool kBack> void reorder_weights(const float* from, float* to) const {
    for (std::int64_t o = 0; o < c.out_channels; ++o, from += depth, to += depth)
      for (std::int64_t t = 0; t < taps; ++t)
        for (std::int64_t i = 0; i < in; ++i) {
          const std::int64_t row_major = i * taps + t, by_tap = t * in + i;
          if constexpr (kBack)
            to[row_major] = from[by_tap];
          else
            to[by_tap] = from[row_major];
        }
  }

  // Product of a block of `rows` output pixels with the weights of a group.
  Gemm<float> forward_product(std::int64_t rows, const float* weights) const {
    return {.m = rows, .n = out, .k = depth, .b = weights, .b_row = 1, .b_col = depth};
  }
};

// Weights by kernel position, followed by the packed panels of each group if products read panels.
class Weights {
 public:
  Weights(const Products& p, const float* w, PrepackedWeightCache* cache)
      : p_(p),
        panel_floats_(gemm_packs(p.forward_product(p.block, nullptr))
                          ? gemm_panels_size(p.forward_product(p.block, nullptr))
                          : 0),
        reordered_(conv_native::round_up(p.c.out_channels * p.depth, 16)),
        buffer_(cache != nullptr ? 0 : static_cast<std::size_t>(floats()) * sizeof(float)),
        by_tap_(conv_native::packed_weights(
            cache, {conv_native::PackedLayout::Kind::columns, panel_floats_, floats(), p.c.groups},
            buffer_.as<float>(), [&](float* to) { fill(w, to); })) {}

  // Returns the weights of a group, (O / groups, kernel, C / groups).
  const float* by_tap(std::int64_t group) const { return by_tap_ + group * p_.out * p_.depth; }
  const float* panels(std::int64_t group) const {
    return by_tap_ + reordered_ + group * panel_floats_;
  }

 private:
  std::int64_t floats() const { return reordered_ + p_.c.groups * panel_floats_; }
  void fill(const float* w, float* to) const {
    p_.reorder_weights<false>(w, to);
    for (std::int64_t g = 0; panel_floats_ > 0 && g < p_.c.groups; ++g)
      gemm_pack(p_.forward_product(p_.block, to + g * p_.out * p_.depth),
                to + reordered_ + g * panel_floats_);
  }

  const Products& p_;
  std::int64_t panel_floats_, reordered_;
  Scratch buffer_;
  const float* by_tap_;
};

}  // namespace

void forward(const ConvParams& c, const float* x, const float* w, const float* bias, float* y,
             PrepackedWeightCache* cache) {
  const Products p(c);
  const Weights weights(p, w, cache);
  parallel_for(
      0, p.blocks, conv_grain(p.multiply_adds(), p.blocks), [&](std::int64_t b, std::int64_t e) {
        const Scratch columns(bytes(p.copies ? p.block * p.depth : 0));
        for (std::int64_t block = b; block < e; ++block) {
          const std::int64_t begin = block * p.block,
                             end = std::min(begin + p.block, c.batch * p.pixels);
          for (std::int64_t group = 0; group < c.groups; ++group) {
            Gemm<float> product = p.forward_product(end - begin, weights.by_tap(group));
            if (gemm_packs(product)) product.panels = weights.panels(group);
            if (p.copies) p.gather(x, group, begin, end, columns.as<float>());
            product.a = p.copies ? columns.as<float>() : x + begin * c.in_channels + group * p.in;
            product.a_row = p.copies ? p.depth : c.in_channels;
            product.c = y + begin * c.out_channels + group * p.out;
            product.c_row = c.out_channels;
            product.bias = bias != nullptr ? bias + group * p.out : nullptr;
            gemm(product);
          }
        }
      });
}

void backward_data(const ConvParams& c, const float* dy, const float* w, float* dx,
                   PrepackedWeightCache* cache) {
  const Products p(c);
  const Weights weights(p, w, cache);
  // Groups and images contribute to different elements of dx.
  const std::int64_t units = c.batch * c.groups;
  parallel_for(0, units, conv_grain(p.multiply_adds(), units), [&](std::int64_t b, std::int64_t e) {
    const Scratch columns(bytes(p.copies ? p.block * p.depth : 0));
    for (std::int64_t unit = b; unit < e; ++unit) {
      const std::int64_t image = unit / c.groups, group = unit % c.groups;
      const std::int64_t last = (image + 1) * p.pixels;
      for (std::int64_t i = image * p.inputs; p.copies && i < (image + 1) * p.inputs; ++i)
        std::memset(dx + i * c.in_channels + group * p.in, 0, bytes(p.in));
      for (std::int64_t begin = image * p.pixels; begin < last; begin += p.block) {
        const std::int64_t end = std::min(begin + p.block, last);
        gemm({.m = end - begin,
              .n = p.depth,
              .k = p.out,
              .a = dy + begin * c.out_channels + group * p.out,
              .a_row = c.out_channels,
              .b = weights.by_tap(group),
              .b_row = p.depth,
              .c = p.copies ? columns.as<float>() : dx + begin * c.in_channels + group * p.in,
              .c_row = p.copies ? p.depth : c.in_channels});
        if (p.copies) p.scatter(columns.as<float>(), group, begin, end, dx);
      }
    }
  });
}

void backward_weights(const ConvParams& c, const float* x, const float* dy, float* dw, float* db) {
  // The blocks are added in order; the elements of a product are divided among the threads.
  constexpr std::int64_t kMaxFloats = 512 * 1024;
  const Products p(c);
  const std::int64_t count = c.batch * p.pixels;
  const std::int64_t block =
      p.copies ? std::clamp<std::int64_t>(kMaxFloats / p.depth, 64, 4096) : count;
  const Scratch sums(bytes(c.out_channels * p.depth)),
      columns(bytes(p.copies ? std::min(block, count) * p.depth : 0));
  for (std::int64_t group = 0; group < c.groups; ++group)
    for (std::int64_t begin = 0; begin < count; begin += block) {
      const std::int64_t rows = std::min(block, count - begin);
      if (p.copies)
        parallel_for(0, rows, 1 + (1 << 14) / p.depth, [&](std::int64_t b, std::int64_t e) {
          p.gather(x, group, begin + b, begin + e, columns.as<float>() + b * p.depth);
        });
      gemm({.m = p.out,
            .n = p.depth,
            .k = rows,
            .a = dy + begin * c.out_channels + group * p.out,
            .a_row = 1,
            .a_col = c.out_channels,
            .b = p.copies ? columns.as<float>() : x + group * p.in,
            .b_row = p.copies ? p.depth : c.in_channels,
            .c = sums.as<float>() + group * p.out * p.depth,
            .c_row = p.depth,
            .accumulate = begin > 0});
    }
  p.reorder_weights<true>(sums.as<float>(), dw);
  if (db != nullptr) column_sums(count, c.out_channels, dy, c.out_channels, db, false);
}

}  // namespace taper::cpu::conv_columns
