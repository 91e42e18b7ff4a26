#include "ops/reduce/nansum.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(nansum) {
  return {sample<NanSum>({{2, 3}}), sample<NanSum>({{2, 3, 4, 5}}, {.dim = Shape{-1, 0}}),
          sample<NanSum>({{3, 70}}, {.dim = Shape{1}, .keepdim = true, .dtype = DType::f64})};
}

}  // namespace taper
