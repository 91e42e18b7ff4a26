#include "ops/pointwise/sigmoid.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {
namespace {

template <class O> std::vector<Row> backward_rows(double low, double high) {
  std::vector<Row> rows;
  for (const Shape& s : {Shape{2, 3}, Shape{131}, Shape{2, 3, 4, 5}})
    rows.push_back(row<O>({Draw(s), Draw(s, low, high)}));
  return rows;
}

}  // namespace

TAPER_DEFINE_ROWS(sigmoid) { return unary_rows<Sigmoid>(-3, 3); }
TAPER_DEFINE_ROWS(sigmoid_backward) { return backward_rows<SigmoidBackward>(0.1, 0.9); }
TAPER_DEFINE_ROWS(tanh) { return unary_rows<Tanh>(-3, 3); }
TAPER_DEFINE_ROWS(tanh_backward) { return backward_rows<TanhBackward>(-0.9, 0.9); }

}  // namespace taper
