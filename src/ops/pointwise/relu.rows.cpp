#include "ops/pointwise/relu.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(relu) { return unary_rows<Relu>(-2, 2, 0.1); }
TAPER_DEFINE_ROWS(threshold) { return unary_rows<Threshold>(-2, 2, 0.1, {0.05, 7}); }
TAPER_DEFINE_ROWS(threshold_backward) {
  return gradient_rows<ThresholdBackward>(-2, 2, 0.1, {0.05});
}
TAPER_DEFINE_ROWS(leaky_relu) { return unary_rows<LeakyRelu>(-2, 2, 0.1, {0.2}); }
TAPER_DEFINE_ROWS(leaky_relu_backward) {
  return gradient_rows<LeakyReluBackward>(-2, 2, 0.1, {-0.1});
}

}  // namespace taper
