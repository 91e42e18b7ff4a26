#include "ops/norm/batch_norm.h"
#include "ops/samples.h"

namespace taper {
namespace {
const TensorSpec kAbsent = TensorSpec::none();
const TensorSpec kVariance(Shape{3}, 0.5, 2);
}  // namespace

TAPER_DEFINE_SAMPLES(native_batch_norm) {
  using B = BatchNorm;
  SampleInput eval = sample<B>({{2, 3, 4, 5}, {3}, {3}, {3}, kVariance}, {.training = false});
  eval.check_gradient = false;  // no gradients of running statistics; see tests/norm for others
  return {sample<B>({{2, 3, 4, 5}, {3}, {3}, kAbsent, kAbsent},
                    {.training = true, .wants_variance = true}),
          sample<B>({{7, 3}, kAbsent, kAbsent, kAbsent, kAbsent}, {.training = true, .eps = 0.1}),
          sample<B>({{4, 20, 3}, {20}, kAbsent, kAbsent, kAbsent}, {.training = true}), eval};
}
TAPER_DEFINE_SAMPLES(native_batch_norm_backward) {
  using B = BatchNormBackward;
  // The gradient treats the statistics as functions of the input, which random samples are not.
  std::vector<SampleInput> samples = {
      sample<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, {3}, kVariance, {3}}, {.training = true}),
      sample<B>({{2, 3, 4, 5}, {2, 3, 4, 5}, {3}, kVariance, kAbsent},
                {.training = false, .compute_grad_weight = false}),
      sample<B>({{7, 3}, {7, 3}, {3}, kVariance, {3}},
                {.training = true, .compute_grad_input = false})};
  for (SampleInput& r : samples) r.check_gradient = false;
  return samples;
}
TAPER_DEFINE_SAMPLES(running_average) {
  return {sample<RunningAverage>({{5}, {5}}, {.momentum = 0.3, .scale = 1.5})};
}

}  // namespace taper
