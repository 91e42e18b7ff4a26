// Parts that the kernels of grouped convolutions share.
#if defined(TAPER_CPU_CONV_GROUPED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_CONV_GROUPED_INL_H_
#undef TAPER_CPU_CONV_GROUPED_INL_H_
#else
#define TAPER_CPU_CONV_GROUPED_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "cpu/conv/grouped.h"
#include "cpu/scratch.h"
#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu::conv_grouped {
namespace HWY_NAMESPACE {
namespace ops = taper::cpu::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using Vec = hn::Vec<D>;

inline std::int64_t num_lanes() { return static_cast<std::int64_t>(hn::Lanes(D())); }

#if HWY_TARGET == HWY_AVX3
constexpr int kRegisters = 32;
#else
constexpr int kRegisters = 16;
#endif

/// Vectors of a block of a depthwise convolution.
constexpr int kDepthwiseVectors = kRegisters == 32 ? 4 : 2;

/// Loads a vector, of which only `lanes` lanes are in memory if kTail is true.
template <bool kTail> HWY_INLINE Vec load(const float* p, std::size_t lanes) {
  const D d;
  if constexpr (kTail)
    return ops::load_n(d, p, lanes);
  else
    return hn::LoadU(d, p);
}

/// The lanes of a vector of source channels that channel k of each group is spread to: lane l holds
/// channel k of the group of lane l.
class SpreadLanes {
 public:
  explicit SpreadLanes(const Blocks& b) {
    if (b.form != Form::spread) return;
    for (std::int64_t k = 0; k < b.in; ++k)
      for (std::int64_t l = 0; l < num_lanes(); ++l)
        lanes_[k][l] = static_cast<std::int32_t>(l / b.in * b.in + k);
  }
  HWY_INLINE Vec spread(Vec x, std::int64_t k) const {
    return hn::TableLookupLanes(x, hn::SetTableIndices(D(), lanes_[k]));
  }

 private:
  HWY_ALIGN std::int32_t lanes_[hn::MaxLanes(D())][hn::MaxLanes(D())];
};

/// Copies of the source rows of a strip, for one block at a time, with zeros around them. All
/// target pixels of a class of columns multiply the same kernel columns then, and adjacent pixels
/// of the source are adjacent in memory.
class PaddedRows {
 public:
  PaddedRows(const Pass& p, const Columns& columns, const Blocks& blocks, std::int64_t max_rows)
      : p_(p),
        blocks_(blocks),
        before_(columns.before * blocks.source_channels()),
        row_floats_((columns.before + p.source[2] + columns.after) * blocks.source_channels()),
        memory_(static_cast<std::size_t>(max_rows * row_floats_) * sizeof(float)) {
    std::fill_n(memory_.as<float>(), max_rows * row_floats_, 0.0f);
  }

  /// Replaces rows of the source by their copies.
  void start(std::vector<SourceRows>& strip) {
    originals_.clear();
    for (SourceRows& of_target : strip)
      for (SourceRows::Row& row : of_target.rows) {
        const auto found = std::find(originals_.begin(), originals_.end(), row.source);
        const std::int64_t at = found - originals_.begin();
        if (found == originals_.end()) originals_.push_back(row.source);
        row.source = memory_.as<float>() + at * row_floats_;
      }
  }

  /// Writes the copies for a block.
  void copy(std::int64_t block) const {
    const std::int64_t pixel = p_.groups * p_.in, size = blocks_.source_channels();
    const std::int64_t first = blocks_.first_source_channel(block);
    const std::int64_t channels = std::min(size, pixel - first);
    float* to = memory_.as<float>() + before_;
    for (const float* from : originals_) {
      copy_pixels(from + first, pixel, channels, to, size);
      to += row_floats_;
    }
  }

 private:
  void copy_pixels(const float* HWY_RESTRICT from, std::int64_t from_step, std::int64_t channels,
                   float* HWY_RESTRICT to, std::int64_t to_step) const {
    const D d;
    const std::int64_t n = num_lanes(), whole = channels / n * n;
    for (std::int64_t i = 0; i < p_.source[2]; ++i, from += from_step, to += to_step) {
      for (std::int64_t c = 0; c < whole; c += n) hn::StoreU(hn::LoadU(d, from + c), d, to + c);
      if (whole < channels)
        ops::store_n(ops::load_n(d, from + whole, static_cast<std::size_t>(channels - whole)), d,
                     to + whole, static_cast<std::size_t>(channels - whole));
    }
  }

  const Pass& p_;
  const Blocks& blocks_;
  std::int64_t before_, row_floats_;
  Scratch memory_;
  std::vector<const float*> originals_;
};

/// The source of a strip of target rows: rows in place, or their padded copies.
class StripSource {
 public:
  StripSource(const Pass& p, const Columns& columns, const Blocks& blocks, const Strips& strips,
              const float* source, bool for_weights)
      : p_(p), columns_(columns), blocks_(blocks), source_(source) {
    if (prefer_padded(p, columns, blocks, for_weights))
      padded_.emplace(p, columns, blocks, strips.source_rows);
  }

  /// Finds the source rows of target rows [first_row, end_row) of all planes of all images.
  void select_rows(std::int64_t first_row, std::int64_t end_row) {
    rows_.resize(static_cast<std::size_t>(end_row - first_row));
    for (SourceRows& of_target : rows_) of_target.find(p_, source_, first_row++);
    if (padded_) padded_->start(rows_);
  }
  /// Makes the channels that a block reads available. Called before the rows are read.
  void select_block(std::int64_t block) const {
    if (padded_) padded_->copy(block);
  }

  std::span<const SourceRows> rows() const { return rows_; }
  const std::vector<Span>& spans() const {
    return padded_ ? columns_.padded_spans : columns_.spans;
  }
  /// Return the distance of adjacent pixels of a row, and the position of the first channel that a
  /// block reads, in floats.
  std::int64_t pixel() const { return padded_ ? blocks_.source_channels() : p_.groups * p_.in; }
  std::int64_t block_at(std::int64_t block) const {
    return padded_ ? 0 : blocks_.first_source_channel(block);
  }

 private:
  const Pass& p_;
  const Columns& columns_;
  const Blocks& blocks_;
  const float* source_;
  std::vector<SourceRows> rows_;
  std::optional<PaddedRows> padded_;
};

/// Returns the number of lanes of the last vector of a block that are channels.
inline std::size_t last_lanes(std::int64_t channels) {
  const std::int64_t n = num_lanes();
  return static_cast<std::size_t>((channels - 1) % n + 1);
}

/// Calls f(std::integral_constant<int, n>) for `n` of 1 to kMax.
template <int kMax, class F> HWY_INLINE void with_constant(std::int64_t n, const F& f) {
  if constexpr (kMax > 1) {
    if (n < kMax) return with_constant<kMax - 1>(n, f);
  }
  f(std::integral_constant<int, kMax>());
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu::conv_grouped
HWY_AFTER_NAMESPACE();
#endif
