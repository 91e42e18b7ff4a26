#include "ops/pointwise/activations.h"
#include "ops/pointwise/ranges.h"

namespace taper {
namespace {

const Range kGrad = smooth(-1, 1), kBeyondKink = smooth(-2, 2, 0.1);
// Ranges outside and inside of [-0.5, 0.5], at whose bounds the shrink functions are not
// differentiable.
const Range kOutside = smooth(-2, 2, 0.6), kWithin = smooth(-0.4, 0.4);
template <class O> O scaled() { return {.alpha = 1.7, .scale = 1.05, .input_scale = 0.6}; }

}  // namespace

TAPER_DEFINE_SAMPLES(threshold) { return unary_samples<Threshold>({kBeyondKink}, {0.05, 7}); }
TAPER_DEFINE_SAMPLES(threshold_backward) {
  return binary_samples<ThresholdBackward>({kGrad, kBeyondKink}, {0.05});
}
TAPER_DEFINE_SAMPLES(leaky_relu) { return unary_samples<LeakyRelu>({kBeyondKink}, {0.2}); }
TAPER_DEFINE_SAMPLES(leaky_relu_backward) {
  return binary_samples<LeakyReluBackward>({kGrad, kBeyondKink}, {-0.1});
}
TAPER_DEFINE_SAMPLES(elu) { return unary_samples({kBeyondKink}, scaled<Elu>()); }
TAPER_DEFINE_SAMPLES(elu_backward) {
  return binary_samples({kGrad, kBeyondKink}, scaled<EluBackward>());
}
TAPER_DEFINE_SAMPLES(celu) { return unary_samples<Celu>({kBeyondKink}, {0.5}); }
TAPER_DEFINE_SAMPLES(softplus) {
  return unary_samples<Softplus>({smooth(-3, 0.9), smooth(1.1, 3)}, {2, 2.0});
}
TAPER_DEFINE_SAMPLES(softplus_backward) {
  return binary_samples<SoftplusBackward>({kGrad, smooth(-3, 0.9), kGrad, smooth(1.1, 3)},
                                          {2, 2.0});
}
TAPER_DEFINE_SAMPLES(softshrink) { return unary_samples<Softshrink>({kOutside, kWithin}); }
TAPER_DEFINE_SAMPLES(hardshrink) { return unary_samples<Hardshrink>({kOutside, kWithin}); }
TAPER_DEFINE_SAMPLES(softshrink_backward) {
  return binary_samples<SoftshrinkBackward>({kGrad, kOutside, kGrad, kWithin});
}
TAPER_DEFINE_SAMPLES(hardshrink_backward) {
  return binary_samples<HardshrinkBackward>({kGrad, kOutside, kGrad, kWithin});
}

}  // namespace taper
