#include "ops/rows.h"
#include "ops/view/slices.h"
#include "ops/view/views.h"

namespace taper {

TAPER_DEFINE_ROWS(view) {
  return {row_major(row<View_>({{2, 3, 4}}, {.shape = {6, 4}})),
          row_major(row<View_>({{2, 3, 4}}, {.shape = {-1}}))};
}
TAPER_DEFINE_ROWS(permute) { return {row<Permute>({{2, 3, 4}}, {.dims = {2, 0, -2}})}; }
TAPER_DEFINE_ROWS(transpose) {
  return {row<Transpose<false>>({{2, 3, 4}}, {.dim0 = 0, .dim1 = -1})};
}
TAPER_DEFINE_ROWS(t) { return {row<Transpose<true>>({{2, 3}})}; }
TAPER_DEFINE_ROWS(expand) {
  return {row<Expand>({{2, 1, 3}}, {.size = {4, 2, 5, 3}}),
          row<Expand>({{2, 1}}, {.size = {-1, 3}})};
}
TAPER_DEFINE_ROWS(unsqueeze) {
  return {row<Unsqueeze>({{2, 3}}, {.dim = 1}), row<Unsqueeze>({{2, 3}}, {.dim = -1})};
}
TAPER_DEFINE_ROWS(squeeze) {
  return {row<Squeeze>({{2, 1, 3, 1}}), row<Squeeze>({{2, 1, 3, 1}}, {.dim = Shape{1, 2}})};
}
TAPER_DEFINE_ROWS(select) { return {row<Select>({{3, 4, 2}}, {.dim = 1, .index = -1})}; }
TAPER_DEFINE_ROWS(slice) {
  return {row<SliceOp>({{3, 7}}, {.dim = 1, .start = 1, .end = 6, .step = 2}),
          row<SliceOp>({{3, 4, 2, 2}}, {.dim = 1, .start = 2})};
}
TAPER_DEFINE_ROWS(as_strided) {
  return {row_major(row<AsStrided>(
      {{12}}, {.size = {3, 3}, .stride = {2, 1}, .storage_offset = 1, .input_stride = {1}}))};
}
TAPER_DEFINE_ROWS(scatter_strided) {
  return {row<ScatterStrided>({{3, 3}}, {.stride = {2, 1}, .offset = 1, .extent = 12})};
}

}  // namespace taper
