#include "ops/linalg/add_product.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(addmm) {
  return {sample<Addmm>({{2, 4}, {2, 3}, {3, 4}}),
          sample<Addmm>({{4}, {2, 3}, {3, 4}}, {.beta = 0.5, .alpha = 2}),
          sample<Addmm>({{2, 1}, {2, 3}, {3, 4}}, {.beta = 0})};
}
TAPER_DEFINE_SAMPLES(baddbmm) {
  return {sample<Baddbmm>({{2, 2, 4}, {2, 2, 3}, {2, 3, 4}}),
          sample<Baddbmm>({{1, 4}, {2, 2, 3}, {2, 3, 4}}, {.beta = 2, .alpha = 0.5})};
}
TAPER_DEFINE_SAMPLES(addmv) {
  return {sample<Addmv>({{4}, {4, 3}, {3}}), sample<Addmv>({{1}, {4, 3}, {3}}, {.alpha = -2})};
}

}  // namespace taper
