#include "ops/pointwise/shrink.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {
namespace {

/// Values on both sides of the edges at +-0.5, and between them, but not near.
inline std::vector<Row> both(std::vector<Row> outside, std::vector<Row> within) {
  outside.insert(outside.end(), within.begin(), within.end());
  return outside;
}
template <class O> std::vector<Row> forward_rows() {
  return both(unary_rows<O>(-2, 2, 0.6), unary_rows<O>(-0.4, 0.4));
}
template <class O> std::vector<Row> backward_rows() {
  return both(gradient_rows<O>(-2, 2, 0.6), gradient_rows<O>(-0.4, 0.4));
}

}  // namespace

TAPER_DEFINE_ROWS(softshrink) { return forward_rows<Shrink<true>>(); }
TAPER_DEFINE_ROWS(hardshrink) { return forward_rows<Shrink<false>>(); }
TAPER_DEFINE_ROWS(softshrink_backward) { return backward_rows<ShrinkBackward<true>>(); }
TAPER_DEFINE_ROWS(hardshrink_backward) { return backward_rows<ShrinkBackward<false>>(); }

}  // namespace taper
