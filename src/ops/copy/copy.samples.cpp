#include "ops/copy/copy.h"
#include "ops/copy/fill.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(clone) {
  return {sample<Clone>({{2, 3}}), sample<Clone>({{2, 3, 4, 5}}), sample<Clone>({Shape{}}),
          sample<Clone>({{0, 3}})};
}
TAPER_DEFINE_SAMPLES(to_copy) {
  return {sample<Cast>({{2, 3}}, {.dtype = DType::f64}),
          sample<Cast>({{2, 3, 4, 5}}, {.dtype = DType::f64}),
          sample<Cast>({TensorSpec({3, 5}, 0, 100)}, {.dtype = DType::i16}),
          skip_gradient_check(sample<Cast>({{2, 70}}, {.dtype = DType::bf16}))};
}
TAPER_DEFINE_SAMPLES(copy) {
  return {sample<Copy>({{2, 3}, {2, 3}}), sample<Copy>({{2, 3}, {3}}),
          sample<Copy>({{2, 3, 4, 5}, {3, 1, 1}})};
}
TAPER_DEFINE_SAMPLES(fill) {
  return {sample<Fill>({{2, 3}}, {.value = 2.5}), sample<Fill>({{2, 3, 4, 5}}, {.value = 0})};
}

}  // namespace taper
