#include "ops/loss/huber_loss.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/huber_loss.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

/// Returns the integral of the difference limited to [-limit, limit].
template <class D, class V> HWY_INLINE V huber_of(D d, double limit, V x, V target) {
  const V distance = hn::Abs(hn::Sub(x, target)), half = set(d, 0.5);
  const V clipped = hn::Min(distance, set(d, limit));  // its product with NaN is NaN
  return hn::Mul(clipped, hn::Sub(distance, hn::Mul(clipped, half)));
}
/// Returns x - target, clamped to [-limit, limit]; preserves NaN.
template <class D, class V> HWY_INLINE V limited_difference(D d, double limit, V x, V target) {
  const V difference = hn::Sub(x, target), high = set(d, limit), low = set(d, -limit);
  const V above = hn::IfThenElse(hn::Lt(difference, low), low, difference);
  return hn::IfThenElse(hn::Gt(difference, high), high, above);
}

struct SmoothL1LossLoop {
  using Op = SmoothL1Loss;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op& o, V x, V target) {
    // Divided first, since the product of beta and a large distance may overflow.
    const V distance = hn::Abs(hn::Sub(x, target)), beta = set(d, o.beta);
    const V clipped = hn::Min(distance, beta);
    return hn::Mul(hn::Div(clipped, beta), hn::Sub(distance, hn::Mul(clipped, set(d, 0.5))));
  }
};
struct SmoothL1LossBackwardLoop {
  using Op = SmoothL1LossBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op& o, V grad, V x, V target) {
    return hn::Mul(grad, hn::Div(limited_difference(d, o.beta, x, target), set(d, o.beta)));
  }
};
struct HuberLossLoop {
  using Op = HuberLoss;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op& o, V x, V target) {
    return huber_of(d, o.delta, x, target);
  }
};
struct HuberLossBackwardLoop {
  using Op = HuberLossBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op& o, V grad, V x, V target) {
    return hn::Mul(grad, limited_difference(d, o.delta, x, target));
  }
};
TAPER_DEFINE_CPU_KERNEL(SmoothL1Loss, SmoothL1LossLoop)
TAPER_DEFINE_CPU_KERNEL(SmoothL1LossBackward, SmoothL1LossBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(HuberLoss, HuberLossLoop)
TAPER_DEFINE_CPU_KERNEL(HuberLossBackward, HuberLossBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
