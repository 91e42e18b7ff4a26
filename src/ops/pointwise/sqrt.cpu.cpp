#include "ops/pointwise/sqrt.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/sqrt.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct SqrtLoop {
  using Op = Sqrt;
  template <class D, class V> static HWY_INLINE V vector(D, const Op&, V x) { return hn::Sqrt(x); }
};
struct RsqrtLoop {
  using Op = Rsqrt;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return hn::Div(hn::Set(d, static_cast<hn::TFromD<D>>(1)), hn::Sqrt(x));
  }
};
struct ReciprocalLoop {
  using Op = Reciprocal;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return hn::Div(hn::Set(d, static_cast<hn::TFromD<D>>(1)), x);
  }
};
TAPER_LOOPS(sqrt, SqrtLoop)
TAPER_LOOPS(rsqrt, RsqrtLoop)
TAPER_LOOPS(reciprocal, ReciprocalLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(sqrt, Sqrt)
TAPER_CPU_OP(rsqrt, Rsqrt)
TAPER_CPU_OP(reciprocal, Reciprocal)
}  // namespace taper
#endif
