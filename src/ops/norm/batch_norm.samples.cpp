#include "ops/norm/batch_norm.h"
#include "ops/samples.h"

namespace taper {
namespace {
const TensorSpec kAbsent = TensorSpec::none();
// Running statistics are not differentiated.
const TensorSpec kMean = TensorSpec(Shape{3}).as_constant(),
                 kVariance = TensorSpec(Shape{3}, 0.5, 2).as_constant();
}  // namespace

TAPER_DEFINE_SAMPLES(native_batch_norm) {
  using B = BatchNorm;
  return {sample<B>({{2, 3, 4, 5}, {3}, {3}, kAbsent, kAbsent},
                    {.training = true, .wants_variance = true}),
          sample<B>({{7, 3}, kAbsent, kAbsent, kAbsent, kAbsent}, {.training = true, .eps = 0.1}),
          sample<B>({{4, 20, 3}, {20}, kAbsent, kAbsent, kAbsent}, {.training = true}),
          sample<B>({{2, 3, 4, 5}, {3}, {3}, kMean, kVariance}, {.training = false})};
}
TAPER_DEFINE_SAMPLES(native_batch_norm_backward) {
  using B = BatchNormBackward;
  // In training mode, the gradient rule assumes that the statistics are those of the input, which
  // does not hold for random inputs. The second gradient of native_batch_norm tests this mode.
  return {skip_gradient_check(
              sample<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, {3}, kVariance, {3}}, {.training = true})),
          sample<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, kMean, kVariance, kAbsent},
                    {.training = false, .compute_grad_weight = false}),
          sample<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, kMean, kVariance, {3}}, {.training = false}),
          skip_gradient_check(sample<B>({{7, 3}, {7, 3}, {3}, kVariance, {3}},
                                        {.training = true, .compute_grad_input = false}))};
}
TAPER_DEFINE_SAMPLES(running_average) {
  return {sample<RunningAverage>({{5}, {5}}, {.momentum = 0.3, .scale = 1.5})};
}

}  // namespace taper
