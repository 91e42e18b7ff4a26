#include "ops/pointwise/elu.h"
#include "ops/pointwise/unary_rows.h"

namespace taper {
namespace {
constexpr double kAlpha = 1.7, kScale = 1.05, kInputScale = 0.6;
}

TAPER_DEFINE_ROWS(elu) {
  return unary_rows<Elu>(-2, 2, 0.1,
                         {.alpha = kAlpha, .scale = kScale, .input_scale = kInputScale});
}
TAPER_DEFINE_ROWS(elu_backward) {
  return gradient_rows<EluBackward>(-2, 2, 0.1,
                                    {.alpha = kAlpha, .scale = kScale, .input_scale = kInputScale});
}

}  // namespace taper
