#include "ops/norm/group_norm.h"
#include "ops/samples.h"

namespace taper {
namespace {
const TensorSpec kNoParameter = TensorSpec::none();
/// Statistics, which are not differentiated.
TensorSpec statistics(std::int64_t rows) { return TensorSpec(Shape{rows}, 0.5, 2).as_constant(); }
}  // namespace

TAPER_DEFINE_SAMPLES(native_layer_norm) {
  using L = LayerNormOp;
  return {sample<L>({{2, 3, 5}, {5}, {5}}, {{.normalized_shape = {5}}}),
          sample<L>({{2, 3, 4}, {3, 4}, kNoParameter}, {{.normalized_shape = {3, 4}, .eps = 0.1}}),
          sample<L>({{7, 3}, kNoParameter, kNoParameter}, {{.normalized_shape = {3}}}),
          sample<L>({{70, 96}, {96}, {96}}, {{.normalized_shape = {96}}})};
}
TAPER_DEFINE_SAMPLES(native_group_norm) {
  using G = GroupNormOp;
  return {sample<G>({{2, 6, 5}, {6}, {6}}, {{.num_groups = 3}}),
          sample<G>({{2, 4, 3, 3}, {4}, kNoParameter}, {{.num_groups = 1, .eps = 0.1}}),
          sample<G>({{3, 6}, {6}, {6}}, {{.num_groups = 2}}),
          sample<G>({{2, 4, 2, 2, 2}, kNoParameter, kNoParameter}, {{.num_groups = 4}})};
}
TAPER_DEFINE_SAMPLES(rms_norm) {
  using R = RmsNormOp;
  return {sample<R>({{2, 3, 5}, {5}}, {{.normalized_shape = {5}}}),
          sample<R>({{2, 3, 4}, {3, 4}}, {{.normalized_shape = {3, 4}, .eps = 0.1}}),
          sample<R>({{7, 3}, kNoParameter}, {{.normalized_shape = {3}}})};
}

// The gradient rules assume that the statistics are those of the input, which does not hold for
// random inputs. The second gradients of the ops above test them; samples with a constant input
// test the other gradients.
TAPER_DEFINE_SAMPLES(native_layer_norm_backward) {
  using B = GroupNormalizeBackward<NormKind::layer>;
  return {
      sample<B>({{2, 3, 5}, TensorSpec({2, 3, 5}).as_constant(), statistics(6), statistics(6), {5}},
                {{.normalized_shape = {5}}}),
      skip_gradient_check(
          sample<B>({{2, 3, 5}, {2, 3, 5}, {6}, statistics(6), {5}}, {{.normalized_shape = {5}}})),
      skip_gradient_check(sample<B>({{200, 40}, {200, 40}, {200}, statistics(200), {40}},
                                    {{.normalized_shape = {40}, .compute_grad_input = false}})),
      skip_gradient_check(sample<B>({{2, 3, 4}, {2, 3, 4}, {2}, statistics(2), kNoParameter},
                                    {{.normalized_shape = {3, 4},
                                      .compute_grad_weight = false,
                                      .compute_grad_bias = false}}))};
}
TAPER_DEFINE_SAMPLES(native_group_norm_backward) {
  using B = GroupNormalizeBackward<NormKind::group>;
  return {
      sample<B>({{2, 6, 5}, TensorSpec({2, 6, 5}).as_constant(), statistics(6), statistics(6), {6}},
                {{.num_groups = 3}}),

      skip_gradient_check(
          sample<B>({{2, 6, 5}, {2, 6, 5}, {6}, statistics(6), {6}}, {{.num_groups = 3}})),
      skip_gradient_check(
          sample<B>({{3, 6}, {3, 6}, {6}, statistics(6), {6}}, {{.num_groups = 2}})),
      skip_gradient_check(sample<B>({{2, 4, 3, 3}, {2, 4, 3, 3}, {2}, statistics(2), kNoParameter},
                                    {{.num_groups = 1, .compute_grad_weight = false}}))};
}
TAPER_DEFINE_SAMPLES(rms_norm_backward) {
  using B = GroupNormalizeBackward<NormKind::rms>;
  return {
      sample<B>({{2, 3, 5}, TensorSpec({2, 3, 5}).as_constant(), statistics(6), {5}},
                {{.normalized_shape = {5}}}),

      skip_gradient_check(
          sample<B>({{2, 3, 5}, {2, 3, 5}, statistics(6), {5}}, {{.normalized_shape = {5}}})),
      skip_gradient_check(sample<B>({{7, 3}, {7, 3}, statistics(7), kNoParameter},
                                    {{.normalized_shape = {3}, .compute_grad_weight = false}}))};
}

}  // namespace taper
