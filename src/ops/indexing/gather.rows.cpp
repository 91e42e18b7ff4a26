#include "ops/indexing/gather.h"
#include "ops/indexing/place_rows.h"

namespace taper {

TAPER_DEFINE_ROWS(gather) {
  return {row<Gather>({{3, 4}, places({2, 4}, 0, 3)}),
          row<Gather>({{3, 4}, places({2, 6}, 0, 4, DType::i32)}, {.dim = 1}),
          row<Gather>({{2, 3, 4, 5}, places({2, 7, 4, 3}, 0, 3)}, {.dim = -3}),
          row<Gather>({Shape{}, places({}, 0, 1)}), row<Gather>({{3, 4}, places({0, 4}, 0, 3)})};
}
TAPER_DEFINE_ROWS(scatter) {
  // Distinct indices: which of several writes wins is not differentiable.
  return {row<Scatter>({{3, 1}, places({1, 1}, 0, 3), {1, 1}}),
          row<Scatter>({{2, 3, 4, 5}, places({2, 1, 4, 3}, 0, 3), {2, 2, 4, 5}}, {.dim = 1}),
          row<Scatter>({{3, 4}, places({3, 1}, 0, 4), {3, 1}}, {.dim = -1}),
          coarse(row<Scatter>({{3, 4}, places({5, 4}, 0, 3), {5, 4}}))};
}
TAPER_DEFINE_ROWS(scatter_value) {
  return {row<ScatterValue>({{3, 4}, places({2, 4}, 0, 3)}, {.value = 2.5}),
          row<ScatterValue>({{2, 3, 4, 5}, places({2, 1, 4, 3}, 0, 3)}, {.dim = 1, .value = 1})};
}
TAPER_DEFINE_ROWS(scatter_add) {
  return {row<ScatterAdd>({{3, 4}, places({5, 4}, 0, 3), {5, 4}}),
          row<ScatterAdd>({{2, 3, 4, 5}, places({2, 4, 4, 3}, 0, 3), {2, 6, 4, 5}}, {.dim = 1}),
          row<ScatterAdd>({Shape{}, places({1}, 0, 1), {1}})};
}

}  // namespace taper
