#include "ops/pointwise/elu.h"

#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/elu.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct EluLoop : CostlyLoop {
  using Op = Elu;
  static EluSlopes state(const Op& o) { return EluSlopes::of(o); }
  template <class D, class V> static HWY_INLINE V vector(D d, const EluSlopes& s, V x) {
    const V below = hn::Mul(math::vec_expm1(d, hn::Mul(x, set(d, s.within))), set(d, s.below));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(x, set(d, s.above)), below);
  }
};
struct EluBackwardLoop : CostlyLoop {
  using Op = EluBackward;
  static EluSlopes state(const Op& o) { return EluSlopes::of(o); }
  template <class D, class V> static HWY_INLINE V vector(D d, const EluSlopes& s, V g, V x) {
    const V below =
        hn::Mul(math::vec_exp(d, hn::Mul(x, set(d, s.within))), set(d, s.within * s.below));
    return hn::Mul(g, hn::IfThenElse(hn::Le(x, hn::Zero(d)), below, set(d, s.above)));
  }
};
TAPER_LOOPS(elu, EluLoop)
TAPER_LOOPS(elu_backward, EluBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(elu, Elu)
TAPER_CPU_OP(elu_backward, EluBackward)
}  // namespace taper
#endif
