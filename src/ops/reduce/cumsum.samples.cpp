#include "ops/reduce/cumsum.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(cumsum) {
  return {sample<CumSum>({{2, 3}}),
          sample<CumSum>({{2, 3, 4, 5}}, {.dim = -3}),
          sample<CumSum>({{3, 70}}, {.dim = 1, .dtype = DType::f64}),
          sample<CumSum>({{3, 7}}, {.dim = 1, .reverse = true}),
          sample<CumSum>({{0, 3}}),
          sample<CumSum>({Shape{}})};
}

}  // namespace taper
