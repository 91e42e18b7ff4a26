#include "ops/pointwise/relu.h"

#include "ops/kernel/element.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/relu.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

struct ReluLoop {
  using Op = Relu;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V x) {
    // Not Max: NaN must stay.
    return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);
  }
  static std::int64_t whole(const Op&, std::int64_t x) { return x < 0 ? 0 : x; }
};
struct ThresholdLoop {
  using Op = Threshold;
  struct State {
    double threshold, value;
  };
  static State state(const Op& o) { return {o.threshold.to_double(), o.value.to_double()}; }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x) {
    return hn::IfThenElse(hn::Le(x, set(d, s.threshold)), set(d, s.value), x);
  }
};
struct ThresholdBackwardLoop {
  using Op = ThresholdBackward;
  static double state(const Op& o) { return o.threshold.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double threshold, V g, V x) {
    return hn::IfThenZeroElse(hn::Le(x, set(d, threshold)), g);
  }
};
struct LeakyReluLoop {
  using Op = LeakyRelu;
  static double state(const Op& o) { return o.negative_slope.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double slope, V x) {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(x, set(d, slope)));
  }
};
struct LeakyReluBackwardLoop {
  using Op = LeakyReluBackward;
  static double state(const Op& o) { return o.negative_slope.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double slope, V g, V x) {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), g, hn::Mul(g, set(d, slope)));
  }
};
TAPER_LOOPS(relu, ReluLoop)
TAPER_LOOPS(threshold, ThresholdLoop)
TAPER_LOOPS(threshold_backward, ThresholdBackwardLoop)
TAPER_LOOPS(leaky_relu, LeakyReluLoop)
TAPER_LOOPS(leaky_relu_backward, LeakyReluBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
TAPER_CPU_OP(relu, Relu)
TAPER_CPU_OP(threshold, Threshold)
TAPER_CPU_OP(threshold_backward, ThresholdBackward)
TAPER_CPU_OP(leaky_relu, LeakyRelu)
TAPER_CPU_OP(leaky_relu_backward, LeakyReluBackward)
}  // namespace taper
#endif
