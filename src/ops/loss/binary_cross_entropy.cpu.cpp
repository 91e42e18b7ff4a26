#include "ops/loss/binary_cross_entropy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/binary_cross_entropy.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class D, class V> HWY_INLINE bool are_probabilities(D d, V x) {
  return hn::AllTrue(d, hn::And(hn::Ge(x, hn::Zero(d)), hn::Le(x, set(d, 1))));
}

struct BinaryCrossEntropyLoop : ComputeBoundLoop {
  using Op = BinaryCrossEntropy;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x, V target) {
    if (!are_probabilities(d, x)) [[unlikely]]
      reject_probability("input");
    if (!are_probabilities(d, target)) [[unlikely]]
      reject_probability("target");
    const V low = set(d, -100), one = set(d, 1);
    const V of_rest = hn::Max(math::vec_log1p(d, hn::Neg(x)), low);
    const V of_x = hn::Max(math::vec_log(d, x), low);
    return hn::Sub(hn::Mul(hn::Sub(target, one), of_rest), hn::Mul(target, of_x));
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
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x, V target, V weight) {
    const V zero = hn::Zero(d), one = set(d, 1);
    const V rest = math::vec_log1p_exp(d, x);
    const V of_target = hn::Add(rest, hn::Max(hn::Neg(x), zero));
    const V of_others = hn::Add(rest, hn::Max(x, zero));
    return hn::Add(hn::Mul(hn::Mul(weight, target), of_target),
                   hn::Mul(hn::Sub(one, target), of_others));
  }
};
struct LogitsCrossEntropyLoop : ComputeBoundLoop {
  using Op = LogitsCrossEntropy;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x, V target) {
    const V rest = math::vec_log1p_exp(d, x);
    const V zero = hn::Zero(d);
    const V linear = hn::Add(hn::Mul(target, hn::Max(hn::Neg(x), zero)),
                             hn::Mul(hn::Sub(set(d, 1), target), hn::Max(x, zero)));
    return hn::Add(rest, linear);
  }
};
struct LogitsCrossEntropyBackwardLoop : ComputeBoundLoop {
  using Op = LogitsCrossEntropyBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V grad, V x, V target) {
    const V one = set(d, 1);
    const V probability = hn::Div(one, hn::Add(one, math::vec_exp(d, hn::Neg(x))));
    return hn::Mul(grad, hn::Sub(probability, target));
  }
};
TAPER_DEFINE_CPU_KERNEL(BinaryCrossEntropy, BinaryCrossEntropyLoop)
TAPER_DEFINE_CPU_KERNEL(BinaryCrossEntropyBackward, BinaryCrossEntropyBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(BinaryCrossEntropyWithLogits, BinaryCrossEntropyWithLogitsLoop)
TAPER_DEFINE_CPU_KERNEL(LogitsCrossEntropy, LogitsCrossEntropyLoop)
TAPER_DEFINE_CPU_KERNEL(LogitsCrossEntropyBackward, LogitsCrossEntropyBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
