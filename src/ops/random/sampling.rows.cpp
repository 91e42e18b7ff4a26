#include "ops/random/sampling.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(poisson) { return {row<Poisson>({Draw({2, 3}, 0, 20)})}; }
TAPER_DEFINE_ROWS(multinomial) {
  return {row<MultinomialOp>({Draw({2, 5}, 0.1, 1)}, {.num_samples = 3}),
          row<MultinomialOp>({Draw({5}, 0.1, 1)}, {.num_samples = 8, .replacement = true})};
}

}  // namespace taper
