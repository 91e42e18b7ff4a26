#include "ops/loss/huber_loss.h"
#include "ops/samples.h"

namespace taper {
namespace {

/// Samples whose differences are neither 0 nor close to a limit of 1.1.
template <class O> std::vector<SampleInput> difference_samples(const O& o) {
  const auto x = [](Shape s) { return TensorSpec(std::move(s), -2.6, 2.6).with_min_abs(1.4); };
  const auto target = [](Shape s) { return TensorSpec(std::move(s), -0.2, 0.2); };
  return {sample<O>({x({2, 3}), target({2, 3})}, o), sample<O>({x({2, 3}), target({3})}, o),
          sample<O>({x({2, 3, 4, 5}), target({2, 3, 4, 5})}, o),
          sample<O>({x({131}), target({131})}, o), sample<O>({x({}), target({})}, o)};
}
template <class O> std::vector<SampleInput> difference_gradient_samples(const O& o) {
  const auto x = [](Shape s) { return TensorSpec(std::move(s), -2.6, 2.6).with_min_abs(1.4); };
  const auto target = [](Shape s) { return TensorSpec(std::move(s), -0.2, 0.2); };
  return {sample<O>({{2, 3}, x({2, 3}), target({2, 3})}, o),
          sample<O>({{2, 3, 4, 5}, x({2, 3, 4, 5}), target({2, 3, 4, 5})}, o),
          sample<O>({{131}, x({131}), target({131})}, o)};
}

}  // namespace

TAPER_DEFINE_SAMPLES(smooth_l1_loss) { return difference_samples(SmoothL1Loss{1.1}); }
TAPER_DEFINE_SAMPLES(smooth_l1_loss_backward) {
  return difference_gradient_samples(SmoothL1LossBackward{1.1});
}
TAPER_DEFINE_SAMPLES(huber_loss) { return difference_samples(HuberLoss{1.1}); }
TAPER_DEFINE_SAMPLES(huber_loss_backward) {
  return difference_gradient_samples(HuberLossBackward{1.1});
}

}  // namespace taper
