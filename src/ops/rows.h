// Test rows: what an op is to be tried on. One row drives every derived check (tests/ops) and a
// line of `./dev bench --ops`. Rows are only compiled into tests and benchmarks:
// <family>/<op>.rows.cpp.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace taper {

/// An input to be drawn: uniform in [low, high), in the dtype under test unless one is given.
struct Draw {
  Shape shape{};
  double low = -1, high = 1;
  std::optional<DType> dtype{};  ///< e.g. i64 for indices: then not differentiated
  bool absent = false;           ///< an optional input left out
  double apart = 0;              ///< keeps values at least this far from 0 (kinks, poles)
  std::optional<int> trues{};    ///< a mask of exactly so many true elements
  Draw(Shape s) : shape(std::move(s)) {}
  Draw(std::initializer_list<std::int64_t> s) : shape(s) {}
  Draw(Shape s, double lo, double hi, std::optional<DType> type = {})
      : shape(std::move(s)), low(lo), high(hi), dtype(type) {}
  static Draw mask(Shape s, int count) {
    Draw d(std::move(s), 0, 1, DType::bool_);
    d.trues = count;
    return d;
  }
  static Draw none() {
    Draw d{Shape{}};
    d.absent = true;
    return d;
  }
  Draw away_from_zero(double by) const {
    Draw d = *this;
    d.apart = by;
    return d;
  }
};

struct Row {
  std::vector<Draw> ins;
  std::shared_ptr<const void> attributes;
  bool smooth = true;      ///< gradients can be compared with differences (no ties, no steps)
  bool any_layout = true;  ///< false: the result depends on strides (view, as_strided)
};

/// row<Add>({{2, 3}, {3}}, {.alpha = -2})
template <class O> Row row(std::vector<Draw> ins, O attributes = {}) {
  return {std::move(ins), std::make_shared<const O>(std::move(attributes))};
}

/// A row whose outputs are too coarse or have steps: not compared with differences.
inline Row coarse(Row r) {
  r.smooth = false;
  return r;
}

/// A row of an op that is about memory itself: tried on row-major inputs only.
inline Row row_major(Row r) {
  r.any_layout = false;
  return r;
}

/// Stands once per op in <op>.rows.cpp: leaving it out is a link error of the test binary.
#define TAPER_DEFINE_ROWS(name)   \
  std::vector<Row> rows_##name(); \
  std::vector<Row> rows_##name()

}  // namespace taper
