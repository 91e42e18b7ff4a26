#include "ops/indexing/index_fill.h"
#include "ops/indexing/place_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(index_fill) {
  using O = IndexFill;
  return {row<O>({{5, 3}, places({2}, -5, 5)}, {.value = 2.5}),
          row<O>({{2, 3, 4, 5}, places({2}, 0, 4)}, {.dim = 2, .value = 1}),
          row<O>({{3, 4}, places({}, 0, 4)}, {.dim = -1, .value = -1}),
          row<O>({{3, 4}, places({0}, 0, 3)}), row<O>({Shape{}, places({1}, 0, 1)}, {.value = 3})};
}
TAPER_DEFINE_ROWS(index_fill_tensor) {
  using O = IndexFillTensor;
  return {row<O>({{5, 3}, places({4}, -5, 5), Shape{}}),
          row<O>({{2, 3, 4, 5}, places({2}, 0, 4), Shape{}}, {.dim = 2}),
          row<O>({{3, 4}, places({2}, 0, 3), Draw(Shape{}, -1, 1, DType::f64)})};
}
TAPER_DEFINE_ROWS(index_copy) {
  using O = IndexCopy;
  return {row<O>({{5, 3}, places({1}, 0, 5), {1, 3}}),
          row<O>({{2, 3, 4, 5}, places({}, 0, 4), {2, 3, 1, 5}}, {.dim = 2}),
          coarse(row<O>({{3, 4}, places({6}, 0, 4), {3, 6}}, {.dim = -1})),
          row<O>({{3, 4}, places({0}, 0, 3), {0, 4}}),
          row<O>({Shape{}, places({1}, 0, 1), Shape{}})};
}

}  // namespace taper
