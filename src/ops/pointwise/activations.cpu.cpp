#include "ops/pointwise/activations.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/activations.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

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
struct EluLoop : ComputeBoundLoop {
  using Op = Elu;
  static EluCoefficients state(const Op& o) { return EluCoefficients::from(o); }
  template <class D, class V> static HWY_INLINE V vector(D d, const EluCoefficients& s, V x) {
    const V below =
        hn::Mul(math::vec_expm1(d, hn::Mul(x, set(d, s.negiptcoef))), set(d, s.negcoef));
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Mul(x, set(d, s.poscoef)), below);
  }
};
struct EluBackwardLoop : ComputeBoundLoop {
  using Op = EluBackward;
  static EluCoefficients state(const Op& o) { return EluCoefficients::from(o); }
  template <class D, class V> static HWY_INLINE V vector(D d, const EluCoefficients& s, V g, V x) {
    const V below = hn::Mul(math::vec_exp(d, hn::Mul(x, set(d, s.negiptcoef))),
                            set(d, s.negiptcoef * s.negcoef));
    return hn::Mul(g, hn::IfThenElse(hn::Le(x, hn::Zero(d)), below, set(d, s.poscoef)));
  }
};
struct SoftplusLoop : ComputeBoundLoop {
  using Op = Softplus;
  struct State {
    double beta, threshold;
  };
  static State state(const Op& o) { return {o.beta.to_double(), o.threshold.to_double()}; }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x) {
    const V beta = set(d, s.beta), z = hn::Mul(x, beta);
    const V positive = hn::IfThenElse(hn::Lt(z, hn::Zero(d)), hn::Zero(d), z);
    const V y = hn::Div(hn::Add(positive, math::vec_log1p_exp(d, z)), beta);
    return hn::IfThenElse(hn::Gt(z, set(d, s.threshold)), x, y);
  }
};
struct SoftplusBackwardLoop : ComputeBoundLoop {
  using Op = SoftplusBackward;
  static auto state(const Op& o) { return SoftplusLoop::state({o.beta, o.threshold}); }
  template <class D, class V>
  static HWY_INLINE V vector(D d, const SoftplusLoop::State& s, V g, V x) {
    const V z = hn::Mul(x, set(d, s.beta));
    return hn::IfThenElse(hn::Gt(z, set(d, s.threshold)), g, hn::Mul(g, math::vec_sigmoid(d, z)));
  }
};
template <bool Soft> struct ShrinkLoop {
  using Op = Shrink<Soft>;
  static double state(const Op& o) { return o.lambd.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double bound, V x) {
    const V edge = set(d, bound);
    if constexpr (Soft) {
      const V low =
          hn::IfThenElse(hn::Lt(x, hn::Neg(edge)), hn::Add(x, edge), hn::Mul(x, hn::Zero(d)));
      return hn::IfThenElse(hn::Gt(x, edge), hn::Sub(x, edge), low);
    }
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), edge), x);
  }
};
template <bool Soft> struct ShrinkBackwardLoop {
  using Op = ShrinkBackward<Soft>;
  static double state(const Op& o) { return o.lambd.to_double(); }
  template <class D, class V> static HWY_INLINE V vector(D d, double bound, V g, V x) {
    return hn::IfThenZeroElse(hn::Le(hn::Abs(x), set(d, bound)), g);
  }
};
TAPER_DEFINE_CPU_KERNEL(Threshold, ThresholdLoop)
TAPER_DEFINE_CPU_KERNEL(ThresholdBackward, ThresholdBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(LeakyRelu, LeakyReluLoop)
TAPER_DEFINE_CPU_KERNEL(LeakyReluBackward, LeakyReluBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(Elu, EluLoop)
TAPER_DEFINE_CPU_KERNEL(EluBackward, EluBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(Softplus, SoftplusLoop)
TAPER_DEFINE_CPU_KERNEL(SoftplusBackward, SoftplusBackwardLoop)
TAPER_DEFINE_CPU_KERNEL(Softshrink, ShrinkLoop<true>)
TAPER_DEFINE_CPU_KERNEL(Hardshrink, ShrinkLoop<false>)
TAPER_DEFINE_CPU_KERNEL(SoftshrinkBackward, ShrinkBackwardLoop<true>)
TAPER_DEFINE_CPU_KERNEL(HardshrinkBackward, ShrinkBackwardLoop<false>)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
template <> bool cpu_kernel(const Celu& o, const KernelArgs& k) {
  return cpu_kernel(o.as_elu(), k);
}
}  // namespace taper
#endif
