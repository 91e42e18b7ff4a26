#include "ops/indexing/gather.h"
#include "ops/indexing/index_samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(gather) {
  return {sample<Gather>({{3, 4}, indices({2, 4}, 0, 3)}),
          sample<Gather>({{3, 4}, indices({2, 6}, 0, 4, DType::i32)}, {{.dim = 1}}),
          sample<Gather>({{2, 3, 4, 5}, indices({2, 7, 4, 3}, 0, 3)}, {{.dim = -3}}),
          sample<Gather>({Shape{}, indices({}, 0, 1)}),
          sample<Gather>({{3, 4}, indices({0, 4}, 0, 3)})};
}
TAPER_DEFINE_SAMPLES(scatter) {
  // The indices are distinct, because the result of several writes to one element is not
  // differentiable. The last sample, with repeated indices, skips the check.
  return {sample<Scatter>({{3, 1}, indices({1, 1}, 0, 3), {1, 1}}),
          sample<Scatter>({{2, 3, 4, 5}, indices({2, 1, 4, 3}, 0, 3), {2, 2, 4, 5}}, {{.dim = 1}}),
          sample<Scatter>({{3, 4}, indices({3, 1}, 0, 4), {3, 1}}, {{.dim = -1}}),
          skip_gradient_check(sample<Scatter>({{3, 4}, indices({5, 4}, 0, 3), {5, 4}}))};
}
TAPER_DEFINE_SAMPLES(scatter_value) {
  return {
      sample<ScatterValue>({{3, 4}, indices({2, 4}, 0, 3)}, {.value = 2.5}),
      sample<ScatterValue>({{2, 3, 4, 5}, indices({2, 1, 4, 3}, 0, 3)}, {.dim = 1, .value = 1})};
}
TAPER_DEFINE_SAMPLES(scatter_add) {
  return {
      sample<ScatterAdd>({{3, 4}, indices({5, 4}, 0, 3), {5, 4}}),
      sample<ScatterAdd>({{2, 3, 4, 5}, indices({2, 4, 4, 3}, 0, 3), {2, 6, 4, 5}}, {{.dim = 1}}),
      sample<ScatterAdd>({Shape{}, indices({1}, 0, 1), {1}})};
}

}  // namespace taper
