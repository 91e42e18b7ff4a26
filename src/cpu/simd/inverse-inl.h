// Inverse hyperbolic functions, atan2, hypot, pow and erfc of f32, computed in f64, and logarithms
// of sums. Include this file in the same way as math-inl.h. Errors are at most 1 ulp, and 4 ulp of
// the larger operand for vec_logaddexp and vec_logaddexp2; results for infinities, zeros and NaN
// are those of the C library.
#if defined(TAPER_CPU_SIMD_INVERSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_INVERSE_INL_H_
#undef TAPER_CPU_SIMD_INVERSE_INL_H_
#else
#define TAPER_CPU_SIMD_INVERSE_INL_H_
#endif

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>
#include <limits>

#include "cpu/simd/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR  // f32 is computed in halves of vectors
struct AcoshOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V one = hn::Set(d, 1.0);
    const V y = vec_log(d, hn::Add(x, hn::Sqrt(hn::MulSub(x, x, one))));
    const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    return hn::IfThenElse(hn::Lt(x, one), nan, y);
  }
};
struct AsinhOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V one = hn::Set(d, 1.0), a = hn::Abs(x), square = hn::Mul(a, a);
    const V y =
        vec_log1p(d, hn::Add(a, hn::Div(square, hn::Add(one, hn::Sqrt(hn::Add(square, one))))));
    const V inf = hn::Set(d, std::numeric_limits<double>::infinity());
    return hn::CopySign(hn::IfThenElse(hn::Eq(a, inf), a, y), x);
  }
};
struct AtanhOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V ratio = hn::Div(hn::Add(x, x), hn::Sub(hn::Set(d, 1.0), x));
    return hn::Mul(hn::Set(d, 0.5), vec_log1p(d, ratio));
  }
};
struct HypotOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V a, V b) {
    const V inf = hn::Set(d, std::numeric_limits<double>::infinity());
    const V root = hn::Sqrt(hn::MulAdd(a, a, hn::Mul(b, b)));
    const auto is_inf = hn::Or(hn::Eq(hn::Abs(a), inf), hn::Eq(hn::Abs(b), inf));
    return hn::IfThenElse(is_inf, inf, root);
  }
};
struct Atan2OfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V y, V x) {
    constexpr double pi = 3.14159265358979323846;
    const V a = hn::Abs(y), b = hn::Abs(x), one = hn::Set(d, 1.0);
    // The quotient of equal numbers is 1, also of infinities, and 0 for zeros.
    V ratio = hn::Div(hn::Min(a, b), hn::Max(a, b));
    ratio = hn::IfThenElse(hn::Eq(a, b), one, ratio);
    ratio = hn::IfThenElse(hn::Eq(a, hn::Zero(d)), hn::Zero(d), ratio);
    V angle = hn::Atan(d, ratio);
    angle = hn::IfThenElse(hn::Gt(a, b), hn::Sub(hn::Set(d, pi / 2), angle), angle);
    const auto is_left = hn::Lt(hn::CopySign(one, x), hn::Zero(d));
    angle = hn::IfThenElse(is_left, hn::Sub(hn::Set(d, pi), angle), angle);
    angle = hn::CopySign(angle, y);
    return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::Add(x, y), angle);
  }
};

/// Computes x^e with the special cases of std::pow. Logarithm and power have the digits that f32
/// needs: relative errors below 2^-33 and 2^-32.
struct PowOfDouble {
  /// Computes log2(a) for a >= 0. Numbers of f32 are normal in f64.
  template <class D, class V> static HWY_INLINE V log2(D d, V a) {
    V m, n;
    split_log(d, a, m, n);
    const V f = hn::Sub(m, hn::Set(d, 1.0)), s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));
    constexpr double twice = 2.8853900817779268;  // 2 / ln 2
    const V p = horner(d, hn::Mul(s, s), hn::Set(d, twice / 11), twice / 9, twice / 7, twice / 5,
                       twice / 3, twice);
    const V inf = hn::Set(d, std::numeric_limits<double>::infinity());
    const V y = hn::IfThenElse(hn::Lt(a, inf), hn::MulAdd(p, s, n), a);
    return hn::IfThenElse(hn::Eq(a, hn::Zero(d)), hn::Neg(inf), y);
  }
  /// Computes 2^t. Results beyond the range of f32 are beyond it in f64, too.
  template <class D, class V> static HWY_INLINE V exp2(D d, V t) {
    const V c = hn::Min(hn::Max(t, hn::Set(d, -1000.0)), hn::Set(d, 1000.0)), n = hn::Round(c);
    const V p = horner(d, hn::Sub(c, n), hn::Set(d, 1.3215486790144309e-6), 1.5252733804059841e-5,
                       1.5403530393381606e-4, 1.3333558146428443e-3, 9.6181291076284772e-3,
                       5.5504108664821580e-2, 2.4022650695910071e-1, 6.9314718055994531e-1, 1.0);
    return hn::IfThenElse(hn::IsNaN(t), t, hn::Mul(p, exp2_integer(d, n)));
  }
  template <class D, class V> static HWY_INLINE V apply(D d, V x, V e) {
    const V one = hn::Set(d, 1.0), zero = hn::Zero(d), a = hn::Abs(x);
    V y = exp2(d, hn::Mul(e, log2(d, a)));
    y = hn::IfThenElse(hn::Eq(a, one), hn::IfThenElse(hn::IsNaN(e), e, one), y);
    const V half = hn::Mul(e, hn::Set(d, 0.5));
    const auto is_integer = hn::Eq(hn::Floor(e), e);
    const auto is_odd = hn::And(is_integer, hn::Ne(hn::Floor(half), half));
    y = hn::IfThenElse(is_odd, hn::CopySign(y, x), y);
    const V inf = hn::Set(d, std::numeric_limits<double>::infinity());
    const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const auto is_negative = hn::And(hn::Lt(x, zero), hn::Gt(x, hn::Neg(inf)));
    y = hn::IfThenElse(is_negative, hn::IfThenElse(is_integer, y, nan), y);
    return hn::IfThenElse(hn::Or(hn::Eq(e, zero), hn::Eq(x, one)), one, y);
  }
};

/// Computes erfc(x) to a relative error below 2^-29, as t 2^(p(t) - z^2 log2(e)) for z = |x| and
/// t = 3 / (3 + z). The polynomial p was fitted at Chebyshev nodes for z up to 10.6.
struct ErfcOfDouble {
  /// Computes p(t).
  template <class D, class V> static HWY_INLINE V exponent_of(D d, V t) {
    return horner(d, t, hn::Set(d, 0.48069263687749936), -3.1591326401648825, 8.772276147707167,
                  -13.499074594796419, 13.041587205394146, -8.745989332906724, 4.037405555493387,
                  -1.173011098260663, 0.6108063298366019, 0.598980071055062, 1.4463080373072652,
                  -2.4108483173052084);
  }
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V z = hn::Min(hn::Abs(x), hn::Set(d, 10.6)), three = hn::Set(d, 3.0);
    const V t = hn::Div(three, hn::Add(three, z)), p = exponent_of(d, t);
    const V exponent = hn::NegMulAdd(hn::Mul(z, z), hn::Set(d, 1.4426950408889634), p);
    const V y = hn::Mul(t, PowOfDouble::exp2(d, exponent));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), y), y);
  }
};

/// Computes F::apply of one or two operands of f32 in f64.
template <class F, class D, class... V> HWY_INLINE hn::Vec<D> in_double(D d, V... x) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto low = F::apply(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x))...);
  const auto high = F::apply(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x))...);
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

/// Computes erfc(x).
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_erfc(D d, V x) {
  V y;
  if constexpr (sizeof(hn::TFromD<D>) == 8)
    y = erfc_f64(d, x);
  else
    y = in_double<ErfcOfDouble>(d, x);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}
#endif

/// Returns max(a, b) + scale * log1p(`ratio`), where `ratio` is the smaller summand divided by the
/// larger one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V logaddexp_of_ratio(D d, V a, V b, V ratio, double scale) {
  using T = hn::TFromD<D>;
  const V larger = hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::Gt(a, b)), a, b);
  const V y = hn::MulAdd(vec_log1p(d, ratio), hn::Set(d, static_cast<T>(scale)), larger);
  const V inf = hn::Set(d, std::numeric_limits<T>::infinity());
  return hn::IfThenElse(hn::And(hn::Eq(a, b), hn::Eq(hn::Abs(a), inf)), a, y);
}
/// Computes log(exp(a) + exp(b)).
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_logaddexp(D d, V a, V b) {
  const V distance = hn::Abs(hn::Sub(a, b));
  return logaddexp_of_ratio(d, a, b, vec_exp(d, hn::Neg(distance)), 1);
}
/// Computes log2(2^a + 2^b).
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_logaddexp2(D d, V a, V b) {
  const V distance = hn::Abs(hn::Sub(a, b));
  return logaddexp_of_ratio(d, a, b, vec_exp2(d, hn::Neg(distance)), 1.4426950408889634);
}
/// Computes a * log(b), 0 if a is 0 and b is not NaN.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_xlogy(D d, V a, V b) {
  const V y = hn::IfThenElse(hn::Eq(a, hn::Zero(d)), hn::Zero(d), hn::Mul(a, vec_log(d, b)));
  return hn::IfThenElse(hn::IsNaN(b), b, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
