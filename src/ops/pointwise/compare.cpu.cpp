#include "ops/pointwise/compare.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/compare.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

template <class O> struct ComparisonLoop {
  using Op = O;
  static constexpr bool kExact = true;
  template <class T> static bool test(const Op&, T a, T b) { return O::holds(a, b); }
};
TAPER_LOOPS(eq, ComparisonLoop<Eq>)
TAPER_LOOPS(ne, ComparisonLoop<Ne>)
TAPER_LOOPS(lt, ComparisonLoop<Lt>)
TAPER_LOOPS(le, ComparisonLoop<Le>)
TAPER_LOOPS(gt, ComparisonLoop<Gt>)
TAPER_LOOPS(ge, ComparisonLoop<Ge>)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(eq, Eq)
TAPER_CPU_OP(ne, Ne)
TAPER_CPU_OP(lt, Lt)
TAPER_CPU_OP(le, Le)
TAPER_CPU_OP(gt, Gt)
TAPER_CPU_OP(ge, Ge)
}  // namespace taper
#endif
