// Shared parts of the native convolution kernels: loop bounds, work units and padded images.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/cpu_allocator.h"
#include "cpu/conv/conv.h"
#include "cpu/conv/work.h"
#include "cpu/threads.h"

namespace taper::cpu::conv_native {

/// A two-dimensional convolution in terms of its loops.
struct ConvLoops {
  std::int64_t n, ci, co, kh, kw, ho, wo, sh, sw, dh;
  std::int64_t hi, wi;     // height and width of the stored input
  std::int64_t top, left;  // padding before the input
  std::int64_t hp, wp;     // height and width of the input with padding
  std::int64_t row, run;   // floats per padded input row; per kernel row (kw * ci)
  bool padded;

  explicit ConvLoops(const ConvParams& c)
      : n(c.batch),
        ci(c.in_channels),
        co(c.out_channels),
        kh(c.kernel[0]),
        kw(c.kernel[1]),
        ho(c.output[0]),
        wo(c.output[1]),
        sh(c.stride[0]),
        sw(c.stride[1]),
        dh(c.dilation[0]),
        hi(c.input[0]),
        wi(c.input[1]),
        top(c.padding[0]),
        left(c.padding[1]),
        hp(std::max(hi + top + c.padding_end[0], (ho - 1) * sh + (kh - 1) * dh + 1)),
        wp(std::max(wi + left + c.padding_end[1], (wo - 1) * sw + kw)),
        row(wp * ci),
        run(kw * ci),
        padded(hp != hi || wp != wi) {}

  std::int64_t multiply_adds() const { return n * ho * wo * co * kh * run; }
  /// Return the first row, and the number of rows, of the padded image that output rows [h0, h1)
  /// read.
  std::int64_t first_row(std::int64_t h0) const { return h0 * sh; }
  std::int64_t rows_for(std::int64_t h0, std::int64_t h1) const {
    return (h1 - 1 - h0) * sh + (kh - 1) * dh + 1;
  }
};

/// Everything but the weights' own sizes that a packed form depends on.
struct PackedLayout {
  enum class Kind {
    forward,
    backward,
    winograd_forward,
    winograd_backward,
    columns,
    grouped_forward,
    grouped_backward
  };
  Kind kind;
  std::int64_t part;    ///< lanes of a vector, columns of a panel, or floats of a group's panels
  std::int64_t floats;  ///< size of the packed form
  std::int64_t groups = 1;
  bool operator==(const PackedLayout&) const = default;
};

/// Weights packed for the native kernels, cached by the caller. The memory is that of tensors:
/// during training it is replaced in each step, and new memory of the system would cost more than
/// packing.
class NativePrepackedWeights : public PrepackedWeights {
 public:
  explicit NativePrepackedWeights(const PackedLayout& layout_)
      : layout(layout_),
        data_(cpu_allocator::allocate(static_cast<std::size_t>(layout_.floats) * sizeof(float),
                                      capacity_)) {}
  ~NativePrepackedWeights() override { cpu_allocator::release(data_, capacity_); }

  const PackedLayout layout;

  float* data() { return reinterpret_cast<float*>(data_); }
  const float* data() const { return reinterpret_cast<const float*>(data_); }

 private:
  std::size_t capacity_ = 0;
  std::byte* data_;
};

/// Returns packed weights from the caller's cache. If `weight_cache` is null, packs them into
/// `buffer` and returns `buffer`.
template <class Pack> const float* packed_weights(PrepackedWeightCache* weight_cache,
                                                  const PackedLayout& layout, float* buffer,
                                                  Pack&& pack) {
  if (weight_cache == nullptr) {
    pack(buffer);
    return buffer;
  }
  return weight_cache
      ->find_or_create<NativePrepackedWeights>(
          [&](const NativePrepackedWeights& f) { return f.layout == layout; },
          [&] {
            auto weights = std::make_unique<NativePrepackedWeights>(layout);
            pack(weights->data());
            return weights;
          })
      .data();
}

inline std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

/// Divides `batch` images of `rows` output rows into units: (image, strip of at most `strip` rows).
struct WorkUnits {
  std::int64_t rows, strip, strips, count;
  WorkUnits(std::int64_t batch, std::int64_t rows_, std::int64_t strip_)
      : rows(rows_),
        strip(std::clamp<std::int64_t>(strip_, 1, rows_)),
        strips((rows + strip - 1) / strip),
        count(batch * strips) {}

  /// Calls f(image, first output row, end of output rows) for units [begin, end).
  template <class F> void for_each(std::int64_t begin, std::int64_t end, F&& f) const {
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t h0 = u % strips * strip;
      f(u / strips, h0, std::min(h0 + strip, rows));
    }
  }
};

/// Returns rows [r0, r0 + rows) of padded image `i`: the input itself without padding, otherwise a
/// copy in `buffer` (rows * row floats) with zeros as padding.
inline const float* padded_rows(const ConvLoops& l, const float* x, std::int64_t i, std::int64_t r0,
                                std::int64_t rows, float* buffer) {
  const float* const image = x + i * l.hi * l.wi * l.ci;
  if (!l.padded) return image + r0 * l.row;
  const auto bytes = [](std::int64_t floats) {
    return static_cast<std::size_t>(floats) * sizeof(float);
  };
  const std::int64_t before = l.left * l.ci;
  const std::int64_t stored = std::min(l.wi, l.wp - l.left) * l.ci;
  for (std::int64_t r = 0; r < rows; ++r) {
    float* const to = buffer + r * l.row;
    const std::int64_t from = r0 + r - l.top;
    if (from < 0 || from >= l.hi) {
      std::memset(to, 0, bytes(l.row));
      continue;
    }
    std::memset(to, 0, bytes(before));
    std::memcpy(to + before, image + from * l.wi * l.ci, bytes(stored));
    std::memset(to + before + stored, 0, bytes(l.row - before - stored));
  }
  return buffer;
}

/// Parts of the lines of a convolution over one dimension, as convolutions of one output row.
struct LineBlocks {
  static constexpr std::int64_t kOutputs = 512;  // operands of a part fit in the caches
  const ConvLoops& l;
  std::int64_t per_line, count;

  explicit LineBlocks(const ConvLoops& loops)
      : l(loops), per_line((l.wo + kOutputs - 1) / kOutputs), count(l.n * per_line) {}
  /// Returns true if images consist of a single row that several parts share.
  static bool apply(const ConvLoops& l) {
    return l.kh == 1 && l.ho == 1 && l.hi == 1 && l.top == 0 && l.wo > kOutputs;
  }
  /// Number of floats that a part reads, at most.
  std::int64_t max_floats() const { return ((kOutputs - 1) * l.sw + l.kw) * l.ci; }

  /// Calls f(loops of the part, its input, offset of its first output pixel) for parts
  /// [begin, end). `buffer` has space for max_floats().
  template <class F>
  void for_each(std::int64_t begin, std::int64_t end, const float* x, float* buffer, F&& f) const {
    for (std::int64_t u = begin; u < end; ++u) {
      const std::int64_t image = u / per_line, w0 = u % per_line * kOutputs;
      ConvLoops part = l;
      part.wo = std::min(kOutputs, l.wo - w0);
      const std::int64_t first = w0 * l.sw - l.left, width = (part.wo - 1) * l.sw + l.kw;
      const float* from = x + (image * l.wi + first) * l.ci;
      if (first < 0 || first + width > l.wi) {
        const std::int64_t lead = std::clamp<std::int64_t>(-first, 0, width),
                           stored = std::clamp<std::int64_t>(l.wi - first - lead, 0, width - lead);
        std::fill_n(buffer, width * l.ci, 0.0f);
        if (stored > 0) std::copy_n(from + lead * l.ci, stored * l.ci, buffer + lead * l.ci);
        from = buffer;
      }
      f(part, from, image * l.wo + w0);
    }
  }
};

}  // namespace taper::cpu::conv_native
