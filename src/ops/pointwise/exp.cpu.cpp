#include "ops/pointwise/exp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/exp.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct ExpLoop : CostlyLoop {
  using Op = Exp;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_exp(d, x);
  }
};
struct Expm1Loop : CostlyLoop {
  using Op = Expm1;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_expm1(d, x);
  }
};
struct LogLoop : CostlyLoop {
  using Op = Log;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_log(d, x);
  }
};
struct Log1pLoop : CostlyLoop {
  using Op = Log1p;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_log1p(d, x);
  }
};
TAPER_LOOPS(exp, ExpLoop)
TAPER_LOOPS(expm1, Expm1Loop)
TAPER_LOOPS(log, LogLoop)
TAPER_LOOPS(log1p, Log1pLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(exp, Exp)
TAPER_CPU_OP(expm1, Expm1)
TAPER_CPU_OP(log, Log)
TAPER_CPU_OP(log1p, Log1p)
}  // namespace taper
#endif
