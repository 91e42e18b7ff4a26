// Rows that suit any op of one tensor.
#pragma once
#include "ops/rows.h"

namespace taper {

/// Values in [low, high), at least `apart` from 0.
template <class O> std::vector<Row> unary_rows(double low, double high, double apart = 0,
                                               const O& attributes = {}, bool smooth = true) {
  std::vector<Row> rows;
  for (const Shape& s : {Shape{2, 3}, Shape{}, Shape{0, 2}, Shape{131}, Shape{2, 3, 4, 5}}) {
    rows.push_back(row<O>({Draw(s, low, high).away_from_zero(apart)}, attributes));
    rows.back().smooth = smooth;
  }
  return rows;
}

/// The same values beside a gradient, of ops of the gradient and the input.
template <class O> std::vector<Row> gradient_rows(double low, double high, double apart = 0,
                                                  const O& attributes = {}) {
  std::vector<Row> rows;
  for (const Shape& s : {Shape{2, 3}, Shape{131}, Shape{2, 3, 4, 5}})
    rows.push_back(row<O>({Draw(s), Draw(s, low, high).away_from_zero(apart)}, attributes));
  return rows;
}

}  // namespace taper
