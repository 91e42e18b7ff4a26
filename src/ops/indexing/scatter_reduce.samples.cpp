#include "ops/indexing/scatter_reduce.h"
#include "ops/indexing/index_samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(scatter_reduce) {
  using O = ScatterReduce;
  return {sample<O>({{3, 4}, indices({5, 4}, 0, 3), {5, 4}}),
          sample<O>({{3, 4}, indices({2, 4}, 0, 3), TensorSpec({2, 4}).with_min_abs(0.2)},
                    {.reduce = "prod", .include_self = false}),
          sample<O>({TensorSpec({3, 4}).with_min_abs(0.2), indices({3, 2}, 0, 4),
                     TensorSpec({3, 2}).with_min_abs(0.2)},
                    {.dim = 1, .reduce = "prod"}),
          sample<O>({{2, 3, 4, 5}, indices({2, 5, 4, 3}, 0, 3), {2, 5, 4, 3}},
                    {.dim = 1, .reduce = "mean"}),
          sample<O>({{3, 4}, indices({3, 6}, 0, 4), {3, 6}}, {.dim = -1, .reduce = "amax"}),
          sample<O>({{3, 4}, indices({3, 6}, 0, 4), {3, 6}},
                    {.dim = -1, .reduce = "amin", .include_self = false}),
          sample<O>({{3, 4}, indices({0, 4}, 0, 3), {0, 4}}, {.reduce = "mean"}),
          sample<O>({Shape{}, indices({}, 0, 1), Shape{}}, {.reduce = "amax"})};
}

}  // namespace taper
