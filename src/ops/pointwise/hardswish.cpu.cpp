#include "ops/pointwise/hardswish.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/hardswish.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct HardswishLoop {
  using Op = Hardswish;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    // A NaN passes through the factor x.
    const V gate = hn::Min(hn::Max(hn::Add(x, set(d, 3)), hn::Zero(d)), set(d, 6));
    return hn::Mul(hn::Mul(x, gate), set(d, 1.0 / 6));
  }
};
struct HardswishBackwardLoop {
  using Op = HardswishBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V g, V x) {
    const V bent = hn::Mul(g, hn::MulAdd(x, set(d, 1.0 / 3), set(d, 0.5)));
    const V upper = hn::IfThenElse(hn::Lt(x, set(d, 3)), bent, g);
    return hn::IfThenZeroElse(hn::Le(x, set(d, -3)), upper);
  }
};
TAPER_LOOPS(hardswish, HardswishLoop)
TAPER_LOOPS(hardswish_backward, HardswishBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(hardswish, Hardswish)
TAPER_CPU_OP(hardswish_backward, HardswishBackward)
}  // namespace taper
#endif
