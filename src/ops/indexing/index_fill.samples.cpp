#include "ops/indexing/index_fill.h"
#include "ops/indexing/index_samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(index_fill) {
  using O = IndexFill;
  return {sample<O>({{5, 3}, indices({2}, -5, 5)}, {.value = 2.5}),
          sample<O>({{2, 3, 4, 5}, indices({2}, 0, 4)}, {.dim = 2, .value = 1}),
          sample<O>({{3, 4}, indices({}, 0, 4)}, {.dim = -1, .value = -1}),
          sample<O>({{3, 4}, indices({0}, 0, 3)}),
          sample<O>({Shape{}, indices({1}, 0, 1)}, {.value = 3})};
}
TAPER_DEFINE_SAMPLES(index_fill_tensor) {
  using O = IndexFillTensor;
  return {sample<O>({{5, 3}, indices({4}, -5, 5), Shape{}}),
          sample<O>({{2, 3, 4, 5}, indices({2}, 0, 4), Shape{}}, {{.dim = 2}}),
          sample<O>({{3, 4}, indices({2}, 0, 3), TensorSpec(Shape{}, -1, 1, DType::f64)})};
}
TAPER_DEFINE_SAMPLES(index_copy) {
  using O = IndexCopy;
  return {sample<O>({{5, 3}, indices({1}, 0, 5), {1, 3}}),
          sample<O>({{2, 3, 4, 5}, indices({}, 0, 4), {2, 3, 1, 5}}, {{.dim = 2}}),
          skip_gradient_check(sample<O>({{3, 4}, indices({6}, 0, 4), {3, 6}}, {{.dim = -1}})),
          sample<O>({{3, 4}, indices({0}, 0, 3), {0, 4}}),
          sample<O>({Shape{}, indices({1}, 0, 1), Shape{}})};
}

}  // namespace taper
