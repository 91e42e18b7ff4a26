#include "ops/pointwise/gelu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/gelu.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include "cpu/simd/gelu-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

/// Base of functors for one value of `approximate`, which is not passed to the loop.
struct GeluApproximation : ComputeBoundLoop {
  struct State {};
  template <class O> static State state(const O&) { return {}; }
};

template <class D, class V> HWY_INLINE V tanh_cdf(D d, V x, V square) {
  const V cubic =
      hn::MulAdd(square, set(d, kTanhGeluSlope * kTanhGeluCubic), set(d, kTanhGeluSlope));
  return math::vec_sigmoid(d, hn::Mul(x, cubic));
}

struct GeluLoop : GeluApproximation {
  using Op = Gelu;
  template <class D, class V> static HWY_INLINE V vector(D d, State, V x) {
    return hn::Mul(x, math::vec_normal_cdf(d, x));
  }
};
struct TanhGeluLoop : GeluApproximation {
  using Op = Gelu;
  template <class D, class V> static HWY_INLINE V vector(D d, State, V x) {
    return hn::Mul(x, tanh_cdf(d, x, hn::Mul(x, x)));
  }
};
struct GeluBackwardLoop : GeluApproximation {
  using Op = GeluBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, State, V g, V x) {
    return hn::Mul(g, math::vec_gelu_slope(d, x));
  }
};
struct TanhGeluBackwardLoop : GeluApproximation {
  using Op = GeluBackward;
  template <class D, class V> static HWY_INLINE V vector(D d, State, V g, V input) {
    // Beyond this limit the slope is 0 or 1, but its factors are 0 and infinity.
    const V limit = set(d, 100), low = hn::IfThenElse(hn::Gt(input, limit), limit, input);
    const V x = hn::IfThenElse(hn::Lt(low, hn::Neg(limit)), hn::Neg(limit), low);
    const V square = hn::Mul(x, x), p = tanh_cdf(d, x, square);
    const V slope =
        hn::MulAdd(square, set(d, 3 * kTanhGeluSlope * kTanhGeluCubic), set(d, kTanhGeluSlope));
    const V change = hn::Mul(hn::Mul(x, slope), hn::Sub(set(d, 1), p));
    return hn::Mul(g, hn::MulAdd(p, change, p));
  }
};
TAPER_LOOP_TABLE(Gelu, GeluLoop)
TAPER_LOOP_TABLE(TanhGelu, TanhGeluLoop)
TAPER_LOOP_TABLE(GeluBackward, GeluBackwardLoop)
TAPER_LOOP_TABLE(TanhGeluBackward, TanhGeluBackwardLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {

HWY_EXPORT(Gelu_loops);
HWY_EXPORT(TanhGelu_loops);
HWY_EXPORT(GeluBackward_loops);
HWY_EXPORT(TanhGeluBackward_loops);

template <> bool cpu_kernel(const Gelu& o, const KernelArgs& k) {
  const kernel::LoopTable* loops = o.approximate == "tanh" ? HWY_DYNAMIC_DISPATCH(TanhGelu_loops)()
                                                           : HWY_DYNAMIC_DISPATCH(Gelu_loops)();
  return kernel::run_elementwise(*loops, &o, k);
}
template <> bool cpu_kernel(const GeluBackward& o, const KernelArgs& k) {
  const kernel::LoopTable* loops = o.approximate == "tanh"
                                       ? HWY_DYNAMIC_DISPATCH(TanhGeluBackward_loops)()
                                       : HWY_DYNAMIC_DISPATCH(GeluBackward_loops)();
  return kernel::run_elementwise(*loops, &o, k);
}

}  // namespace taper
#endif
