// Rows of row-major planes, padded for vector loops over the windows of one output row.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/pool/window.h"
#include "cpu/scratch.h"

namespace taper::cpu::planes {

/// Returns the windows of all columns.
inline std::vector<Span> spans_of_columns(const Pool2d& p) {
  std::vector<Span> columns;
  columns.reserve(static_cast<std::size_t>(p.wo));
  for (std::int64_t j = 0; j < p.wo; ++j) columns.push_back(columns_of(p, j));
  return columns;
}

/// Rounds up to a multiple of `unit`.
constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  return (n + unit - 1) / unit * unit;
}

/// Returns the number of elements, from the left padding on, that vectors of `lanes` windows read
/// from a row if the stride is 1 or 2.
inline std::int64_t row_extent(const Pool2d& p, std::int64_t lanes) {
  return round_up(p.wo, lanes) * p.sw + (p.kw - 1) * p.dw;
}

/// Returns true if one vector can hold consecutive windows: windows of adjacent elements, 1 or 2
/// apart, that are not much wider than a row.
inline bool has_vector_windows(const Pool2d& p, std::int64_t max_width) {
  return !p.adaptive && p.dw == 1 && (p.sw == 1 || p.sw == 2) && p.kw <= max_width;
}

/// Copies of rows with `pad` around them, made only where the row itself cannot be read in their
/// place.
class PaddedRows {
 public:
  /// Rows end before `end`; `slots` of them are used at a time.
  PaddedRows(const Pool2d& p, std::int64_t lanes, std::int64_t slots, float pad, const float* end)
      : left_(p.pw),
        width_(p.w),
        extent_(row_extent(p, lanes)),
        is_inside_(p.pw == 0 && (p.wo - 1) * p.sw + p.kw <= p.w),
        end_(end),
        copies_(static_cast<std::size_t>(slots * extent_) * sizeof(float)) {
    std::fill_n(copies_.as<float>(), slots * extent_, pad);
  }

  /// Returns the row, with its padding, of which `row` is the first element.
  const float* padded(const float* row, std::int64_t slot) const {
    if (is_inside_ && end_ - row >= extent_) return row;
    float* const to = row_in(slot) - left_;
    std::copy_n(row, std::min(width_, extent_ - left_), to + left_);
    return to;
  }
  /// Returns the first element of the copy in a slot.
  float* row_in(std::int64_t slot) const { return copies_.as<float>() + slot * extent_ + left_; }

 private:
  std::int64_t left_, width_, extent_;
  bool is_inside_;
  const float* end_;
  Scratch copies_;
};

}  // namespace taper::cpu::planes
