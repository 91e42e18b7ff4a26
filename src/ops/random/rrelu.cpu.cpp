#include "ops/random/rrelu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/random/rrelu.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct RreluLoop {
  using Op = RreluWithNoise;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op& o, V x, V noise) {
    const V slope = hn::Set(d, static_cast<hn::TFromD<D>>(o.slope()));
    if (o.training) return hn::Mul(x, noise);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, slope));
  }
};
TAPER_DEFINE_CPU_KERNEL(RreluWithNoise, RreluLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
