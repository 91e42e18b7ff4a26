#include "ops/random/rrelu.h"
#include "ops/rows.h"

namespace taper {

TAPER_DEFINE_ROWS(rrelu_noise) {
  return {row<RreluNoise>({{2, 3}}), row<RreluNoise>({{2, 3, 4, 5}}, {{}, 0.25, 0.5})};
}
TAPER_DEFINE_ROWS(rrelu_with_noise) {
  using O = RreluWithNoise;
  const Draw x = Draw({2, 3, 4, 5}).away_from_zero(0.01), slopes({2, 3, 4, 5}, 0.125, 1);
  return {row<O>({x, slopes}, {.training = true}), row<O>({x, slopes}),
          row<O>({{131}, {131}}, {.lower = 0.5, .upper = 0.75, .training = true}),
          row<O>({Shape{}, Shape{}}, {.training = true})};
}

}  // namespace taper
