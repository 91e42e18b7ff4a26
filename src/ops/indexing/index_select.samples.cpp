#include "ops/indexing/index_select.h"
#include "ops/indexing/index_samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(index_select) {
  return {sample<IndexSelect>({{5, 3}, indices({4}, 0, 5)}),
          sample<IndexSelect>({{2, 3, 4, 5}, indices({6}, 0, 3, DType::i32)}, {{.dim = 1}}),
          sample<IndexSelect>({{3, 4}, indices({2}, 0, 4)}, {{.dim = -1}}),
          sample<IndexSelect>({{3, 4}, indices({0}, 0, 3)}),
          sample<IndexSelect>({Shape{}, indices({}, 0, 1)})};
}

TAPER_DEFINE_SAMPLES(index_add) {
  return {sample<IndexAdd>({{5, 3}, indices({4}, 0, 5), {4, 3}}),
          sample<IndexAdd>({{2, 3, 4, 5}, indices({6}, 0, 3, DType::i32), {2, 6, 4, 5}},
                           {.dim = 1, .alpha = -2}),
          sample<IndexAdd>({{3, 4}, indices({2}, 0, 4), {3, 2}}, {.dim = -1}),
          sample<IndexAdd>({Shape{}, indices({1}, 0, 1), Shape{}})};
}

}  // namespace taper
