#include "ops/indexing/index.h"
#include "ops/indexing/index_samples.h"

namespace taper {

TAPER_DEFINE_SAMPLES(index) {
  using O = IndexOp;
  return {sample<O>({{5, 3}, indices({1, 4}, -5, 5)}, {.dims = {0}}),
          sample<O>({{5, 3}, indices({1, 2, 3}, 0, 3)}, {.dims = {1}}),
          sample<O>({{4, 5}, indices({2, 6}, -4, 4, DType::i32)}, {.dims = {0, 1}}),
          sample<O>({{2, 3, 4, 5}, indices({2, 6}, 0, 3)}, {.dims = {1, 2}}),
          sample<O>({{4, 3, 4, 5}, indices({2, 2, 2}, 0, 4)}, {.dims = {0, 2}}),
          sample<O>({{3, 4}, indices({1}, 0, 3)}, {.dims = {0}}),
          sample<O>({{3, 4}, indices({1, 0}, 0, 3)}, {.dims = {1}}),
          sample<O>({{3, 0}, indices({1, 2}, 0, 3)}, {.dims = {0}})};
}

TAPER_DEFINE_SAMPLES(index_put) {
  using O = IndexPut;
  return {sample<O>({{5, 3}, indices({1, 1}, -5, 5), {1, 3}}, {.dims = {0}}),
          sample<O>({{5, 3}, indices({1, 1}, 0, 3), Shape{}}, {.dims = {1}}),
          sample<O>({{5, 3}, indices({1, 4}, 0, 5), {4, 1}}, {.dims = {0}, .accumulate = true}),
          sample<O>({{4, 5}, indices({2, 6}, -4, 4, DType::i32), {6}},
                    {.dims = {0, 1}, .accumulate = true}),
          sample<O>({{2, 3, 4, 5}, indices({2, 6}, 0, 3), {2, 6, 5}},
                    {.dims = {1, 2}, .accumulate = true}),
          sample<O>({{4, 3, 4, 5}, indices({2, 2, 1}, 0, 4), {2, 1, 3, 5}},
                    {.dims = {0, 2}, .accumulate = true}),
          skip_gradient_check(sample<O>({{3, 4}, indices({1, 7}, 0, 3), {7, 4}}, {.dims = {0}})),
          sample<O>({{3, 4}, indices({1, 0}, 0, 3), {4}}, {.dims = {0}})};
}

}  // namespace taper
