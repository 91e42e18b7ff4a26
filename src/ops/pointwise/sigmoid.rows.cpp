#include "ops/pointwise/sigmoid.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(sigmoid) { return unary_rows<Sigmoid>(-3, 3); }
TAPER_DEFINE_ROWS(sigmoid_backward) { return gradient_rows<SigmoidBackward>(0.1, 0.9); }
TAPER_DEFINE_ROWS(tanh) { return unary_rows<Tanh>(-3, 3); }
TAPER_DEFINE_ROWS(tanh_backward) { return gradient_rows<TanhBackward>(-0.9, 0.9); }

}  // namespace taper
