#include "ops/pointwise/relu.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {
namespace {

template <class O> std::vector<Row> backward_rows(const O& attributes) {
  std::vector<Row> rows;
  for (const Shape& s : {Shape{2, 3}, Shape{131}, Shape{2, 3, 4, 5}})
    rows.push_back(row<O>({Draw(s), Draw(s, -2, 2).away_from_zero(0.1)}, attributes));
  return rows;
}

}  // namespace

TAPER_DEFINE_ROWS(relu) { return unary_rows<Relu>(-2, 2, 0.1); }
TAPER_DEFINE_ROWS(threshold) { return unary_rows<Threshold>(-2, 2, 0.1, {0.05, 7}); }
TAPER_DEFINE_ROWS(threshold_backward) { return backward_rows<ThresholdBackward>({0.05}); }
TAPER_DEFINE_ROWS(leaky_relu) { return unary_rows<LeakyRelu>(-2, 2, 0.1, {0.2}); }
TAPER_DEFINE_ROWS(leaky_relu_backward) { return backward_rows<LeakyReluBackward>({-0.1}); }

}  // namespace taper
