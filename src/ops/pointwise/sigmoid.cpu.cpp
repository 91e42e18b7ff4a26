#include "ops/pointwise/sigmoid.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/sigmoid.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct SigmoidLoop : CostlyLoop {
  using Op = Sigmoid;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_sigmoid(d, x);
  }
};
struct SigmoidBackwardLoop {
  using Op = SigmoidBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V g, V y) {
    return hn::Mul(hn::Mul(g, y), hn::Sub(hn::Set(d, static_cast<hn::TFromD<D>>(1)), y));
  }
};
struct TanhLoop : CostlyLoop {
  using Op = Tanh;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    return math::vec_tanh(d, x);
  }
};
struct TanhBackwardLoop {
  using Op = TanhBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V g, V y) {
    return hn::Mul(g, hn::NegMulAdd(y, y, hn::Set(d, static_cast<hn::TFromD<D>>(1))));
  }
};
TAPER_LOOPS(sigmoid, SigmoidLoop)
TAPER_LOOPS(sigmoid_backward, SigmoidBackwardLoop)
TAPER_LOOPS(tanh, TanhLoop)
TAPER_LOOPS(tanh_backward, TanhBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(sigmoid, Sigmoid)
TAPER_CPU_OP(sigmoid_backward, SigmoidBackward)
TAPER_CPU_OP(tanh, Tanh)
TAPER_CPU_OP(tanh_backward, TanhBackward)
}  // namespace taper
#endif
