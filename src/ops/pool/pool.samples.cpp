#include "ops/pool/adaptive_max_pool.h"
#include "ops/pool/avg_pool.h"
#include "ops/pool/max_pool.h"
#include "ops/samples.h"

namespace taper {
namespace {

template <PoolIndexKind P> std::vector<SampleInput> max_samples() {
  using O = MaxPool2d<P>;
  return {
      sample<O>({{1, 2, 4, 4}}, {.kernel_size = 2, .stride = 2}),
      sample<O>({{2, 20, 5, 4}},
                {.kernel_size = {3, 2}, .stride = {2, 1}, .padding = {1, 0}, .ceil_mode = true}),
      sample<O>({{2, 7, 7}}, {.kernel_size = 3, .stride = 1, .padding = 1}),
      sample<O>({{2, 3, 7, 6}}, {.kernel_size = 2, .stride = 1, .dilation = {2, 3}}),
      sample<O>({{0, 3, 4, 4}}, {.kernel_size = 2, .stride = 2})};
}
template <PoolIndexKind P> std::vector<SampleInput> backward_samples() {
  using O = MaxPool2dBackward<P>;
  const double max = P == PoolIndexKind::window ? 4 : 16;
  const TensorSpec indices(Shape{1, 2, 2, 2}, 0, max, index_dtype(P));
  return {sample<O>({{1, 2, 2, 2}, indices},
                    {.kernel_size = 2, .stride = 2, .input_size = {1, 2, 4, 4}})};
}
template <PoolIndexKind P> std::vector<SampleInput> pick_samples() {
  using O = MaxPool2dPick<P>;
  const double max = P == PoolIndexKind::window ? 4 : 16;
  const TensorSpec indices(Shape{1, 2, 2, 2}, 0, max, index_dtype(P));
  return {sample<O>({{1, 2, 4, 4}, indices}, {.kernel_size = 2, .stride = 2})};
}

}  // namespace

TAPER_DEFINE_SAMPLES(max_pool2d) { return max_samples<PoolIndexKind::window>(); }
TAPER_DEFINE_SAMPLES(max_pool2d_with_indices) { return max_samples<PoolIndexKind::flat>(); }
TAPER_DEFINE_SAMPLES(max_pool2d_backward) { return backward_samples<PoolIndexKind::window>(); }
TAPER_DEFINE_SAMPLES(max_pool2d_with_indices_backward) {
  return backward_samples<PoolIndexKind::flat>();
}
TAPER_DEFINE_SAMPLES(max_pool2d_pick) { return pick_samples<PoolIndexKind::window>(); }
TAPER_DEFINE_SAMPLES(max_pool2d_with_indices_pick) { return pick_samples<PoolIndexKind::flat>(); }

TAPER_DEFINE_SAMPLES(avg_pool2d) {
  using O = AvgPool2d;
  return {
      sample<O>({{1, 2, 4, 4}}, {.kernel_size = 2, .stride = 2}),
      sample<O>({{2, 20, 5, 6}}, {.kernel_size = 3, .stride = 2, .padding = 1, .ceil_mode = true}),
      sample<O>({{2, 3, 5, 6}},
                {.kernel_size = 3, .stride = 2, .padding = 1, .count_include_pad = false}),
      sample<O>({{2, 5, 6}}, {.kernel_size = {3, 2}, .stride = 1, .divisor_override = 5})};
}
TAPER_DEFINE_SAMPLES(avg_pool2d_backward) {
  using O = AvgPool2dBackward;
  return {sample<O>({{1, 2, 2, 2}}, {.kernel_size = 2, .stride = 2, .input_size = {1, 2, 4, 4}}),
          sample<O>({{2, 3, 3, 3}}, {.kernel_size = 3,
                                     .stride = 2,
                                     .padding = 1,
                                     .count_include_pad = false,
                                     .input_size = {2, 3, 5, 6}})};
}
TAPER_DEFINE_SAMPLES(adaptive_avg_pool2d) {
  using O = AdaptiveAvgPool2d;
  return {sample<O>({{2, 3, 5, 7}}, {.output_size = {3, 2}}),
          sample<O>({{2, 4, 4}}, {.output_size = 1}),
          sample<O>({{1, 2, 3, 3}}, {.output_size = {5, 3}})};
}
TAPER_DEFINE_SAMPLES(adaptive_max_pool2d) {
  using O = AdaptiveMaxPool2d;
  return {sample<O>({{2, 3, 5, 7}}, {.output_size = {3, 2}}),
          sample<O>({{2, 4, 4}}, {.output_size = 1}),
          sample<O>({{1, 20, 3, 3}}, {.output_size = {5, 3}})};
}
TAPER_DEFINE_SAMPLES(adaptive_avg_pool2d_backward) {
  using O = AdaptiveAvgPool2dBackward;
  return {sample<O>({{2, 3, 3, 2}}, {.output_size = {2, 3, 5, 7}})};
}

}  // namespace taper
