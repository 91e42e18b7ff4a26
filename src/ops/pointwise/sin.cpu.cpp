#include "ops/pointwise/sin.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/sin.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct SinLoop : CostlyLoop {
  using Op = Sin;
  template <class T> static T scalar(const Op&, T x) { return std::sin(x); }
};
struct CosLoop : CostlyLoop {
  using Op = Cos;
  template <class T> static T scalar(const Op&, T x) { return std::cos(x); }
};
TAPER_LOOPS(sin, SinLoop)
TAPER_LOOPS(cos, CosLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(sin, Sin)
TAPER_CPU_OP(cos, Cos)
}  // namespace taper
#endif
