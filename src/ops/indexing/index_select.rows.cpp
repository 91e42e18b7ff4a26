#include "ops/indexing/index_select.h"
#include "ops/indexing/place_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(index_select) {
  return {row<IndexSelect>({{5, 3}, places({4}, 0, 5)}),
          row<IndexSelect>({{2, 3, 4, 5}, places({6}, 0, 3, DType::i32)}, {.dim = 1}),
          row<IndexSelect>({{3, 4}, places({2}, 0, 4)}, {.dim = -1}),
          row<IndexSelect>({{3, 4}, places({0}, 0, 3)}),
          row<IndexSelect>({Shape{}, places({}, 0, 1)})};
}

TAPER_DEFINE_ROWS(index_add) {
  return {row<IndexAdd>({{5, 3}, places({4}, 0, 5), {4, 3}}),
          row<IndexAdd>({{2, 3, 4, 5}, places({6}, 0, 3, DType::i32), {2, 6, 4, 5}},
                        {.dim = 1, .alpha = -2}),
          row<IndexAdd>({{3, 4}, places({2}, 0, 4), {3, 2}}, {.dim = -1}),
          row<IndexAdd>({Shape{}, places({1}, 0, 1), Shape{}})};
}

}  // namespace taper
