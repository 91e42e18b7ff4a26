#include "ops/pointwise/logic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/logic.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class O> struct TestLoop {
  using Op = O;
  static constexpr bool kExact = true;
  template <class T, class... More> static bool test(const Op&, T x, More... more) {
    return O::holds(x, more...);
  }
};
TAPER_LOOPS(logical_and, TestLoop<LogicalAnd>)
TAPER_LOOPS(logical_or, TestLoop<LogicalOr>)
TAPER_LOOPS(logical_xor, TestLoop<LogicalXor>)
TAPER_LOOPS(logical_not, TestLoop<LogicalNot>)
TAPER_LOOPS(isnan, TestLoop<IsNan>)
TAPER_LOOPS(isinf, TestLoop<IsInf>)
TAPER_LOOPS(isfinite, TestLoop<IsFinite>)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(logical_and, LogicalAnd)
TAPER_CPU_OP(logical_or, LogicalOr)
TAPER_CPU_OP(logical_xor, LogicalXor)
TAPER_CPU_OP(logical_not, LogicalNot)
TAPER_CPU_OP(isnan, IsNan)
TAPER_CPU_OP(isinf, IsInf)
TAPER_CPU_OP(isfinite, IsFinite)
}  // namespace taper
#endif
