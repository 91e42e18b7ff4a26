#include "ops/random/gamma.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(_standard_gamma) {
  return {sample<StandardGamma>({TensorSpec({2, 3}, 0.2, 5)})};
}

}  // namespace taper
