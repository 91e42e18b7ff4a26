// Kernels of functions that select, round or replace numbers.
#include "ops/pointwise/elementary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pointwise/parts.cpu.cpp"
#include "ops/kernel/vector_loop-inl.h"

#include <limits>
#include <numbers>

#include "ops/pointwise/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::HWY_NAMESPACE {

TAPER_UNARY_LOOP(Angle, cheap,
                 hn::IfThenElse(hn::IsNaN(x), x,
                                hn::IfThenElseZero(hn::Lt(x, hn::Zero(d)),
                                                   set(d, std::numbers::pi))))
TAPER_UNARY_LOOP(Frac, cheap, hn::Sub(x, hn::Trunc(x)))
TAPER_UNARY_LOOP(Sgn, cheap, sign_of(d, x))
TAPER_PREDICATE_LOOP(IsNegInf)
TAPER_PREDICATE_LOOP(IsPosInf)

struct LogitLoop : ComputeBoundLoop {
  using Op = Logit;
  struct State {
    bool clamps;
    double eps;
  };
  static State state(const Op& o) { return {o.eps.has_value(), o.eps.value_or(0)}; }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x) {
    const V one = set(d, 1), low = set(d, s.eps), high = hn::Sub(one, low);
    if (s.clamps)  // the lower limit may be above the upper one
      x = hn::IfThenElse(hn::Lt(x, low), low, hn::IfThenElse(hn::Gt(x, high), high, x));
    return math::vec_log(d, hn::Div(x, hn::Sub(one, x)));
  }
};
TAPER_DEFINE_CPU_KERNEL(Logit, LogitLoop)

struct RoundDecimalsLoop {
  using Op = RoundDecimals;
  struct State {
    bool multiplies;
    double scale;
  };
  static State state(const Op& o) {
    return {o.decimals > 0, std::pow(10.0, std::abs(static_cast<double>(o.decimals)))};
  }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x) {
    const V scale = set(d, s.scale);
    return s.multiplies ? hn::Div(hn::Round(hn::Mul(x, scale)), scale)
                        : hn::Mul(hn::Round(hn::Div(x, scale)), scale);
  }
};
TAPER_DEFINE_CPU_KERNEL(RoundDecimals, RoundDecimalsLoop)

struct NanToNumLoop {
  using Op = NanToNum;
  struct State {
    double nan, posinf, neginf;
  };
  static State state(const Op& o) { return {*o.nan, *o.posinf, *o.neginf}; }
  template <class D, class V> static HWY_INLINE V vector(D d, const State& s, V x) {
    const V inf = set(d, std::numeric_limits<double>::infinity());
    x = hn::IfThenElse(hn::IsNaN(x), set(d, s.nan), x);
    return hn::IfThenElse(hn::Eq(x, inf), set(d, s.posinf),
                          hn::IfThenElse(hn::Eq(x, hn::Neg(inf)), set(d, s.neginf), x));
  }
  static std::int64_t integral(const State&, std::int64_t x) { return x; }
};
TAPER_LOOP_TABLE(nan_to_num, NanToNumLoop)

struct NextafterLoop {
  using Op = Nextafter;
  template <class D, class V> static HWY_INLINE V vector(D d, const Op&, V a, V b) {
    const hn::RebindToUnsigned<D> u;
    const V zero = hn::Zero(d);
    const auto one = hn::Set(u, hn::TFromD<decltype(u)>{1}), bits = hn::BitCast(u, a);
    // Numbers of one sign are ordered as their bits.
    const auto is_away = hn::Not(hn::Xor(hn::Lt(a, b), hn::Gt(a, zero)));
    const V next = hn::BitCast(
        d, hn::IfThenElse(hn::RebindMask(u, is_away), hn::Add(bits, one), hn::Sub(bits, one)));
    const V from_zero = hn::CopySign(hn::BitCast(d, one), b);
    const V y = hn::IfThenElse(hn::Eq(a, b), b, hn::IfThenElse(hn::Eq(a, zero), from_zero, next));
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), y);
  }
};
TAPER_LOOP_TABLE(nextafter, NextafterLoop)

}  // namespace taper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper {
HWY_EXPORT(nan_to_num_loops);
HWY_EXPORT(nextafter_loops);
template <> bool cpu_kernel(const NanToNum& o, const KernelArgs& k) {
  const NanToNum numbers = o.with_defaults(k.compute);
  return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(nan_to_num_loops)(), &numbers, k);
}
template <> bool cpu_kernel(const Nextafter& o, const KernelArgs& k) {
  // The next number depends on the dtype of the result.
  if (k.compute != DType::f32 && k.compute != DType::f64) return false;
  return kernel::run_elementwise(*HWY_DYNAMIC_DISPATCH(nextafter_loops)(), &o, k);
}
}  // namespace taper
#endif
