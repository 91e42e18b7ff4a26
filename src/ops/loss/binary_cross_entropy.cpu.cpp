#include "ops/loss/binary_cross_entropy.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/binary_cross_entropy.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct BinaryCrossEntropyLoop : ComputeBoundLoop {
  using Op = BinaryCrossEntropy;
  template <class T> static T scalar(const Op&, T x, T target) {
    if (!(x >= 0 && x <= 1)) [[unlikely]]
      reject_probability("input");
    if (!(target >= 0 && target <= 1)) [[unlikely]]
      reject_probability("target");
    return (target - 1) * std::max(std::log1p(-x), T(-100)) -
           target * std::max(std::log(x), T(-100));
  }
};
struct BinaryCrossEntropyBackwardLoop {
  using Op = BinaryCrossEntropyBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V grad, V x, V target) {
    const V variance = hn::Mul(hn::Sub(set(d, 1), x), x);
    return hn::Div(hn::Mul(grad, hn::Sub(x, target)), hn::Max(variance, set(d, 1e-12)));
  }
};
struct BinaryCrossEntropyWithLogitsLoop : ComputeBoundLoop {
  using Op = BinaryCrossEntropyWithLogits;
  template <class T> static T scalar(const Op&, T x, T target, T weight) {
    const T rest = std::log1p(std::exp(-std::abs(x)));
    return weight * target * (rest + std::max(-x, T(0))) +
           (1 - target) * (rest + std::max(x, T(0)));
  }
};
TAPER_DEFINE_CPU_KERNEL(BinaryCrossEntropy, BinaryCrossEntropyLoop)
TAPER_DEFINE_CPU_KERNEL(BinaryCrossEntropyBackward, BinaryCrossEntropyBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(BinaryCrossEntropyWithLogits, BinaryCrossEntropyWithLogitsLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
