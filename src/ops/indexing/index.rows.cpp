#include "ops/indexing/index.h"
#include "ops/indexing/place_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(index) {
  using O = IndexOp;
  return {row<O>({{5, 3}, places({1, 4}, -5, 5)}, {.dims = {0}}),
          row<O>({{5, 3}, places({1, 2, 3}, 0, 3)}, {.dims = {1}}),
          row<O>({{4, 5}, places({2, 6}, -4, 4, DType::i32)}, {.dims = {0, 1}}),
          row<O>({{2, 3, 4, 5}, places({2, 6}, 0, 3)}, {.dims = {1, 2}}),
          row<O>({{4, 3, 4, 5}, places({2, 2, 2}, 0, 4)}, {.dims = {0, 2}}),
          row<O>({{3, 4}, places({1}, 0, 3)}, {.dims = {0}}),
          row<O>({{3, 4}, places({1, 0}, 0, 3)}, {.dims = {1}}),
          row<O>({{3, 0}, places({1, 2}, 0, 3)}, {.dims = {0}})};
}

TAPER_DEFINE_ROWS(index_put) {
  using O = IndexPut;
  return {
      row<O>({{5, 3}, places({1, 1}, -5, 5), {1, 3}}, {.dims = {0}}),
      row<O>({{5, 3}, places({1, 1}, 0, 3), Shape{}}, {.dims = {1}}),
      row<O>({{5, 3}, places({1, 4}, 0, 5), {4, 1}}, {.dims = {0}, .accumulate = true}),
      row<O>({{4, 5}, places({2, 6}, -4, 4, DType::i32), {6}},
             {.dims = {0, 1}, .accumulate = true}),
      row<O>({{2, 3, 4, 5}, places({2, 6}, 0, 3), {2, 6, 5}}, {.dims = {1, 2}, .accumulate = true}),
      row<O>({{4, 3, 4, 5}, places({2, 2, 1}, 0, 4), {2, 1, 3, 5}},
             {.dims = {0, 2}, .accumulate = true}),
      coarse(row<O>({{3, 4}, places({1, 7}, 0, 3), {7, 4}}, {.dims = {0}})),
      row<O>({{3, 4}, places({1, 0}, 0, 3), {4}}, {.dims = {0}})};
}

}  // namespace taper
