#include "ops/pointwise/shrink.h"

#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/shrink.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <bool Soft> struct ShrinkLoop {
  using Op = Shrink<Soft>;
  static double state(const Op& o) { return o.lambd.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double by, V x) {
    const V edge = hn::Set(d, static_cast<hn::TFromD<D>>(by));
    if constexpr (Soft) {
      const V low =
          hn::IfThenElse(hn::Lt(x, hn::Neg(edge)), hn::Add(x, edge), hn::Mul(x, hn::Zero(d)));
      return hn::IfThenElse(hn::Gt(x, edge), hn::Sub(x, edge), low);
    }
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), edge), x);
  }
};
template <bool Soft> struct ShrinkBackwardLoop {
  using Op = ShrinkBackward<Soft>;
  static double state(const Op& o) { return o.lambd.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double by, V g, V x) {
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), hn::Set(d, static_cast<hn::TFromD<D>>(by))), g);
  }
};
TAPER_LOOPS(softshrink, ShrinkLoop<true>)
TAPER_LOOPS(hardshrink, ShrinkLoop<false>)
TAPER_LOOPS(softshrink_backward, ShrinkBackwardLoop<true>)
TAPER_LOOPS(hardshrink_backward, ShrinkBackwardLoop<false>)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(softshrink, Shrink<true>)
TAPER_CPU_OP(hardshrink, Shrink<false>)
TAPER_CPU_OP(softshrink_backward, ShrinkBackward<true>)
TAPER_CPU_OP(hardshrink_backward, ShrinkBackward<false>)
}  // namespace taper
#endif
