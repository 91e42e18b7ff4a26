#include "ops/linalg/linear.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(linear) {
  return {row<Linear>({{2, 3}, {4, 3}, {4}}), row<Linear>({{1, 5}, {1, 5}, {1}}),
          row<Linear>({{3, 0}, {2, 0}, {2}}), row<Linear>({{16, 32}, {64, 32}, {64}})};
}
TAPER_DEFINE_ROWS(linear_backward) {
  return {row<LinearBackward>({{2, 4}, {2, 3}, {4, 3}}),
          row<LinearBackward>({{2, 4}, {2, 3}, {4, 3}}, {.compute_grad_input = false}),
          row<LinearBackward>({{2, 4}, {2, 3}, {4, 3}},
                              {.compute_grad_weight = false, .compute_grad_bias = false}),
          row<LinearBackward>({{16, 64}, {16, 32}, {64, 32}})};
}

}  // namespace taper
