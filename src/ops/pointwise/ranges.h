// Samples of pointwise ops, drawn from ranges of values.
#pragma once
#include "ops/rows.h"

namespace taper {

/// Inputs in [low, high), at least `apart` from 0.
struct Range {
  double low, high, apart = 0;
  bool smooth = true;  ///< differentiable: gradients are checked with differences
  std::optional<DType> dtype{};

  Draw draw(const Shape& s) const { return Draw(s, low, high, dtype).away_from_zero(apart); }
};
inline Range smooth(double low, double high, double apart = 0) { return {low, high, apart}; }
inline Range coarse(double low, double high, double apart = 0) { return {low, high, apart, false}; }
inline Range bools() { return {-1, 1, 0, false, DType::bool_}; }

/// Samples of unary ops: several shapes in each range.
template <class O>
std::vector<Row> unary_rows(std::initializer_list<Range> ranges, const O& attributes = {}) {
  std::vector<Row> rows;
  for (const Range& x : ranges)
    for (const Shape& s : {Shape{2, 3}, Shape{}, Shape{0, 2}, Shape{131}, Shape{2, 3, 4, 5}}) {
      rows.push_back(row<O>({x.draw(s)}, attributes));
      rows.back().smooth = x.smooth;
    }
  return rows;
}

/// Samples of binary ops: several pairs of shapes in each pair of ranges.
template <class O>
std::vector<Row> binary_rows(std::initializer_list<Range> pairs, const O& attributes = {}) {
  std::vector<Row> rows;
  for (const Range* a = pairs.begin(); a < pairs.end(); a += 2)
    for (const auto& [s, t] : {std::pair{Shape{2, 3}, Shape{2, 3}},
                               {{2, 3}, {3}},
                               {{2, 1}, {1, 3}},
                               {{0, 3}, {3}},
                               {{131}, {131}},
                               {{13, 131}, {131}},
                               {{2, 3, 4, 5}, {2, 3, 4, 5}},
                               {{2, 3, 4, 5}, {}}}) {
      rows.push_back(row<O>({a[0].draw(s), a[1].draw(t)}, attributes));
      rows.back().smooth = a[0].smooth && a[1].smooth;
    }
  return rows;
}

}  // namespace taper
