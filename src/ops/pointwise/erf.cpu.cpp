#include "ops/pointwise/erf.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/erf.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct ErfLoop : CostlyLoop {
  using Op = Erf;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_erf(d, x);
  }
};
TAPER_LOOPS(erf, ErfLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(erf, Erf)
}  // namespace taper
#endif
