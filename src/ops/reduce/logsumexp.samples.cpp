#include "ops/reduce/logsumexp.h"
#include "ops/samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(logsumexp) {
  using O = LogSumExp;
  return {sample<O>({{2, 3}}, {.dim = Shape{1}}),
          sample<O>({{2, 3, 4}}, {.dim = Shape{-1, 0}, .keepdim = true}),
          sample<O>({TensorSpec({2, 3, 4, 5}, -9, 9)}, {.dim = Shape{1}}),
          sample<O>({TensorSpec({300, 70}, 900, 905)}, {.dim = Shape{0}}),
          sample<O>({{3, 1000}}),
          skip_gradient_check(sample<O>({{0, 3}}, {.dim = Shape{0}})),
          sample<O>({Shape{}}, {.dim = Shape{0}})};
}

}  // namespace taper
