#include "ops/linalg/linear.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(linear) {
  return {sample<Linear>({{2, 3}, {4, 3}, {4}}), sample<Linear>({{1, 5}, {1, 5}, {1}}),
          sample<Linear>({{3, 0}, {2, 0}, {2}}), sample<Linear>({{16, 32}, {64, 32}, {64}})};
}
TAPER_DEFINE_SAMPLES(linear_backward) {
  return {sample<LinearBackward>({{2, 4}, {2, 3}, {4, 3}}),
          sample<LinearBackward>({{2, 4}, {2, 3}, {4, 3}}, {.compute_grad_input = false}),
          sample<LinearBackward>({{2, 4}, {2, 3}, {4, 3}},
                                 {.compute_grad_weight = false, .compute_grad_bias = false}),
          sample<LinearBackward>({{16, 64}, {16, 32}, {64, 32}})};
}

}  // namespace taper
