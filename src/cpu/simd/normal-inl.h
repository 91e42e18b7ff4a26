// Scaled complementary error function and normal distribution of f32, computed in f64. Include this
// file in the same way as math-inl.h. Errors are at most 1 ulp; results for infinities and NaN are
// those of PyTorch.
#if defined(TAPER_CPU_SIMD_NORMAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_NORMAL_INL_H_
#undef TAPER_CPU_SIMD_NORMAL_INL_H_
#else
#define TAPER_CPU_SIMD_NORMAL_INL_H_
#endif

#include <hwy/highway.h>

#include "cpu/simd/inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Computes e^(x^2) erfc(x): t 2^p(t) as in ErfcOfDouble, and the asymptotic series beyond 10.
struct ErfcxOfDouble {
  /// For z >= 0.
  template <class D, class V> static HWY_INLINE V of_positive(D d, V z) {
    const V one = hn::Set(d, 1.0), ten = hn::Set(d, 10.0), three = hn::Set(d, 3.0);
    const V t = hn::Div(three, hn::Add(three, hn::Min(z, ten)));
    const V near = hn::Mul(t, PowOfDouble::exp2(d, ErfcOfDouble::exponent_of(d, t)));
    const V inverse = hn::Div(one, hn::Max(z, ten));
    // 1 - 1/(2 z^2) + 3/(2 z^2)^2 - 15/(2 z^2)^3 + ...
    const V s = hn::Mul(hn::Mul(inverse, inverse), hn::Set(d, 0.5));
    const V series = horner(d, s, hn::Set(d, -945.0), 105.0, -15.0, 3.0, -1.0, 1.0);
    const V far = hn::Mul(hn::Mul(series, inverse), hn::Set(d, 0.56418958354775628695));
    return hn::IfThenElse(hn::Le(z, ten), near, far);
  }
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V positive = of_positive(d, hn::Abs(x)), power = vec_exp(d, hn::Mul(x, x));
    const V y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::MulSub(power, hn::Set(d, 2.0), positive),
                               positive);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

struct NdtrOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V t = hn::Mul(x, hn::Set(d, -0.70710678118654752440));
    const V y = hn::Mul(ErfcOfDouble::apply(d, t), hn::Set(d, 0.5));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

/// Computes log(ndtr(x)): log(erfcx(t) / 2) - t^2 with t = -x / sqrt(2) for x < -1.
struct LogNdtrOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V t = hn::Mul(x, hn::Set(d, -0.70710678118654752440)), half = hn::Set(d, 0.5);
    const V scaled = ErfcxOfDouble::of_positive(d, hn::Abs(t));
    const V low = hn::NegMulAdd(t, t, vec_log(d, hn::Mul(scaled, half)));
    const V high = vec_log1p(d, hn::Neg(NdtrOfDouble::apply(d, hn::Neg(x))));
    const V y = hn::IfThenElse(hn::Lt(x, hn::Set(d, -1.0)), low, high);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
