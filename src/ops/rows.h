// Samples of inputs and attributes. Each sample drives all derived checks of an op (tests/ops) and
// a line of `./dev bench --ops`. Samples are defined in <family>/<op>.rows.cpp and compiled only
// into tests and benchmarks.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace taper {

/// Specification of an input: uniform in [low, high), in the dtype under test unless specified.
struct Draw {
  Shape shape{};
  double low = -1, high = 1;
  std::optional<DType> dtype{};  ///< for example i64 for indices, which are not differentiated
  bool absent = false;           ///< an omitted optional input
  double apart = 0;              ///< minimum distance from 0, for ops with a kink or pole there
  std::optional<int> trues{};    ///< a mask with exactly this number of true elements
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
  bool smooth = true;      ///< gradients can be compared with finite differences (no ties or steps)
  bool any_layout = true;  ///< false: the result depends on strides (view, as_strided)
};

/// Creates a sample: row<Add>({{2, 3}, {3}}, {.alpha = -2})
template <class O> Row row(std::vector<Draw> ins, O attributes = {}) {
  return {std::move(ins), std::make_shared<const O>(std::move(attributes))};
}

/// Marks a sample whose outputs are too coarse or have steps: gradients are not compared with
/// finite differences.
inline Row coarse(Row r) {
  r.smooth = false;
  return r;
}

/// Restricts a sample of an op on memory layout to row-major inputs.
inline Row row_major(Row r) {
  r.any_layout = false;
  return r;
}

/// Defines the samples of an op, once per op in <op>.rows.cpp. A missing definition is a link error
/// of the test binary.
#define TAPER_DEFINE_ROWS(name)   \
  std::vector<Row> rows_##name(); \
  std::vector<Row> rows_##name()

}  // namespace taper
