#include "ops/samples.h"
#include "ops/view/slices.h"
#include "ops/view/views.h"

namespace taper {

TAPER_DEFINE_SAMPLES(view) {
  return {contiguous_only(sample<View_>({{2, 3, 4}}, {.shape = {6, 4}})),
          contiguous_only(sample<View_>({{2, 3, 4}}, {.shape = {-1}}))};
}
TAPER_DEFINE_SAMPLES(permute) { return {sample<Permute>({{2, 3, 4}}, {.dims = {2, 0, -2}})}; }
TAPER_DEFINE_SAMPLES(transpose) {
  return {sample<Transpose<false>>({{2, 3, 4}}, {.dim0 = 0, .dim1 = -1})};
}
TAPER_DEFINE_SAMPLES(t) { return {sample<Transpose<true>>({{2, 3}})}; }
TAPER_DEFINE_SAMPLES(expand) {
  return {sample<Expand>({{2, 1, 3}}, {.size = {4, 2, 5, 3}}),
          sample<Expand>({{2, 1}}, {.size = {-1, 3}})};
}
TAPER_DEFINE_SAMPLES(unsqueeze) {
  return {sample<Unsqueeze>({{2, 3}}, {.dim = 1}), sample<Unsqueeze>({{2, 3}}, {.dim = -1})};
}
TAPER_DEFINE_SAMPLES(squeeze) {
  return {sample<Squeeze>({{2, 1, 3, 1}}), sample<Squeeze>({{2, 1, 3, 1}}, {.dim = Shape{1, 2}})};
}
TAPER_DEFINE_SAMPLES(select) { return {sample<Select>({{3, 4, 2}}, {.dim = 1, .index = -1})}; }
TAPER_DEFINE_SAMPLES(slice) {
  return {sample<SliceOp>({{3, 7}}, {.dim = 1, .start = 1, .end = 6, .step = 2}),
          sample<SliceOp>({{3, 4, 2, 2}}, {.dim = 1, .start = 2})};
}
TAPER_DEFINE_SAMPLES(as_strided) {
  return {contiguous_only(sample<AsStrided>(
      {{12}}, {.size = {3, 3}, .stride = {2, 1}, .storage_offset = 1, .input_stride = {1}}))};
}
TAPER_DEFINE_SAMPLES(scatter_strided) {
  return {sample<ScatterStrided>({{3, 3}}, {.stride = {2, 1}, .offset = 1, .extent = 12})};
}

}  // namespace taper
