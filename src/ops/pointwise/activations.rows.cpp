#include "ops/pointwise/activations.h"
#include "ops/pointwise/ranges.h"

namespace taper {
namespace {

const Range kGrad = smooth(-1, 1), kBeyondKink = smooth(-2, 2, 0.1);
// Ranges outside and inside of the kinks of shrink at -0.5 and 0.5.
const Range kOutside = smooth(-2, 2, 0.6), kWithin = smooth(-0.4, 0.4);
template <class O> O scaled() { return {.alpha = 1.7, .scale = 1.05, .input_scale = 0.6}; }

}  // namespace

TAPER_DEFINE_ROWS(threshold) { return unary_rows<Threshold>({kBeyondKink}, {0.05, 7}); }
TAPER_DEFINE_ROWS(threshold_backward) {
  return binary_rows<ThresholdBackward>({kGrad, kBeyondKink}, {0.05});
}
TAPER_DEFINE_ROWS(leaky_relu) { return unary_rows<LeakyRelu>({kBeyondKink}, {0.2}); }
TAPER_DEFINE_ROWS(leaky_relu_backward) {
  return binary_rows<LeakyReluBackward>({kGrad, kBeyondKink}, {-0.1});
}
TAPER_DEFINE_ROWS(elu) { return unary_rows({kBeyondKink}, scaled<Elu>()); }
TAPER_DEFINE_ROWS(elu_backward) { return binary_rows({kGrad, kBeyondKink}, scaled<EluBackward>()); }
TAPER_DEFINE_ROWS(softshrink) { return unary_rows<Softshrink>({kOutside, kWithin}); }
TAPER_DEFINE_ROWS(hardshrink) { return unary_rows<Hardshrink>({kOutside, kWithin}); }
TAPER_DEFINE_ROWS(softshrink_backward) {
  return binary_rows<SoftshrinkBackward>({kGrad, kOutside, kGrad, kWithin});
}
TAPER_DEFINE_ROWS(hardshrink_backward) {
  return binary_rows<HardshrinkBackward>({kGrad, kOutside, kGrad, kWithin});
}

}  // namespace taper
