#include "ops/random/rrelu.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(rrelu_noise) {
  return {sample<RreluNoise>({{2, 3}}), sample<RreluNoise>({{2, 3, 4, 5}}, {{}, 0.25, 0.5})};
}
TAPER_DEFINE_SAMPLES(rrelu_with_noise) {
  using O = RreluWithNoise;
  const TensorSpec x = TensorSpec({2, 3, 4, 5}).with_min_abs(0.01), slopes({2, 3, 4, 5}, 0.125, 1);
  return {sample<O>({x, slopes}, {.training = true}), sample<O>({x, slopes}),
          sample<O>({{131}, {131}}, {.lower = 0.5, .upper = 0.75, .training = true}),
          sample<O>({Shape{}, Shape{}}, {.training = true})};
}

}  // namespace taper
