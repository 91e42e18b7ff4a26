#include "ops/random/sampling.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(poisson) { return {sample<Poisson>({TensorSpec({2, 3}, 0, 20)})}; }
TAPER_DEFINE_SAMPLES(multinomial) {
  return {
      sample<MultinomialOp>({TensorSpec({2, 5}, 0.1, 1)}, {.num_samples = 3}),
      sample<MultinomialOp>({TensorSpec({5}, 0.1, 1)}, {.num_samples = 8, .replacement = true})};
}

}  // namespace taper
