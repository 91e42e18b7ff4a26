#include "ops/pointwise/round.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/round.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

#define TAPER_ROUNDING(name, O)                                                                    \
  struct O##Loop {                                                                                 \
    using Op = O;                                                                                  \
    template <class D, class V> static HWY_INLINE V vector(D, const Op&, V x) { return hn::O(x); } \
    static std::int64_t whole(const Op&, std::int64_t x) { return x; }                             \
  };                                                                                               \
  TAPER_LOOPS(name, O##Loop)
TAPER_ROUNDING(floor, Floor)
TAPER_ROUNDING(ceil, Ceil)
TAPER_ROUNDING(round, Round)
TAPER_ROUNDING(trunc, Trunc)
#undef TAPER_ROUNDING

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(floor, Floor)
TAPER_CPU_OP(ceil, Ceil)
TAPER_CPU_OP(round, Round)
TAPER_CPU_OP(trunc, Trunc)
}  // namespace taper
#endif
