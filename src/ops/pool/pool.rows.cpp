#include "ops/pool/avg_pool.h"
#include "ops/pool/max_pool.h"
#include "ops/rows.h"

namespace taper {
namespace {

template <PoolPlace P> std::vector<Row> max_rows() {
  using O = MaxPool2d<P>;
  return {row<O>({{1, 2, 4, 4}}, {.kernel_size = 2, .stride = 2}),
          row<O>({{2, 20, 5, 4}},
                 {.kernel_size = {3, 2}, .stride = {2, 1}, .padding = {1, 0}, .ceil_mode = true}),
          row<O>({{2, 7, 7}}, {.kernel_size = 3, .stride = 1, .padding = 1}),
          row<O>({{2, 3, 7, 6}}, {.kernel_size = 2, .stride = 1, .dilation = {2, 3}}),
          row<O>({{0, 3, 4, 4}}, {.kernel_size = 2, .stride = 2})};
}
template <PoolPlace P> std::vector<Row> backward_rows() {
  using O = MaxPool2dBackward<P>;
  const double most = P == PoolPlace::tap ? 4 : 16;
  const Draw places(Shape{1, 2, 2, 2}, 0, most, place_dtype(P));
  return {
      row<O>({{1, 2, 2, 2}, places}, {.kernel_size = 2, .stride = 2, .input_size = {1, 2, 4, 4}})};
}
template <PoolPlace P> std::vector<Row> pick_rows() {
  using O = MaxPool2dPick<P>;
  const double most = P == PoolPlace::tap ? 4 : 16;
  const Draw places(Shape{1, 2, 2, 2}, 0, most, place_dtype(P));
  return {row<O>({{1, 2, 4, 4}, places}, {.kernel_size = 2, .stride = 2})};
}

}  // namespace

TAPER_DEFINE_ROWS(max_pool2d) { return max_rows<PoolPlace::tap>(); }
TAPER_DEFINE_ROWS(max_pool2d_with_indices) { return max_rows<PoolPlace::index>(); }
TAPER_DEFINE_ROWS(max_pool2d_backward) { return backward_rows<PoolPlace::tap>(); }
TAPER_DEFINE_ROWS(max_pool2d_with_indices_backward) { return backward_rows<PoolPlace::index>(); }
TAPER_DEFINE_ROWS(max_pool2d_pick) { return pick_rows<PoolPlace::tap>(); }
TAPER_DEFINE_ROWS(max_pool2d_with_indices_pick) { return pick_rows<PoolPlace::index>(); }

TAPER_DEFINE_ROWS(avg_pool2d) {
  using O = AvgPool2d;
  return {row<O>({{1, 2, 4, 4}}, {.kernel_size = 2, .stride = 2}),
          row<O>({{2, 20, 5, 6}}, {.kernel_size = 3, .stride = 2, .padding = 1, .ceil_mode = true}),
          row<O>({{2, 3, 5, 6}},
                 {.kernel_size = 3, .stride = 2, .padding = 1, .count_include_pad = false}),
          row<O>({{2, 5, 6}}, {.kernel_size = {3, 2}, .stride = 1, .divisor_override = 5})};
}
TAPER_DEFINE_ROWS(avg_pool2d_backward) {
  using O = AvgPool2dBackward;
  return {row<O>({{1, 2, 2, 2}}, {.kernel_size = 2, .stride = 2, .input_size = {1, 2, 4, 4}}),
          row<O>({{2, 3, 3, 3}}, {.kernel_size = 3,
                                  .stride = 2,
                                  .padding = 1,
                                  .count_include_pad = false,
                                  .input_size = {2, 3, 5, 6}})};
}
TAPER_DEFINE_ROWS(adaptive_avg_pool2d) {
  using O = AdaptiveAvgPool2d;
  return {row<O>({{2, 3, 5, 7}}, {.output_size = {3, 2}}), row<O>({{2, 4, 4}}, {.output_size = 1}),
          row<O>({{1, 2, 3, 3}}, {.output_size = {5, -1}})};
}
TAPER_DEFINE_ROWS(adaptive_avg_pool2d_backward) {
  using O = AdaptiveAvgPool2dBackward;
  return {row<O>({{2, 3, 3, 2}}, {.output_size = {2, 3, 5, 7}})};
}

}  // namespace taper
