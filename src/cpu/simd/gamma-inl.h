// Gamma functions of f32, computed in f64, and the inverse error function, computed in f32. Include
// this file in the same way as math-inl.h. Errors are at most 1 ulp, and 2 ulp for the latter;
// results for infinities, poles and NaN are those of PyTorch.
#if defined(TAPER_CPU_SIMD_GAMMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_GAMMA_INL_H_
#undef TAPER_CPU_SIMD_GAMMA_INL_H_
#else
#define TAPER_CPU_SIMD_GAMMA_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "cpu/simd/inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
constexpr double kPi = 3.14159265358979323846;

/// Computes sin(pi r) for r in [-1/2, 1/2], by its Taylor series.
template <class D, class V> HWY_INLINE V sin_pi(D d, V r) {
  const V x = hn::Mul(r, hn::Set(d, kPi)), z = hn::Mul(x, x);
  const V p = horner(d, z, hn::Set(d, 1.9572941063391261e-20), -8.2206352466243297e-18,
                     2.8114572543455206e-15, -7.6471637318198164e-13, 1.6059043836821613e-10,
                     -2.5052108385441720e-08, 2.7557319223985893e-06, -1.9841269841269841e-04,
                     8.3333333333333333e-03, -1.6666666666666666e-01);
  return hn::MulAdd(hn::Mul(x, z), p, x);
}

/// Sets `product` to y (y + 1) ... (y + 7) and `sum` to the sum of the reciprocals of its factors,
/// times the product.
template <class D, class V> HWY_INLINE void rising_product(D d, V y, V& product, V& sum) {
  product = y, sum = hn::Set(d, 1.0);
  for (int k = 1; k < 8; ++k) {
    const V factor = hn::Add(y, hn::Set(d, static_cast<double>(k)));
    sum = hn::MulAdd(sum, factor, product);
    product = hn::Mul(product, factor);
  }
}

/// Computes the logarithm of the absolute value of the gamma function by Stirling's series for
/// |x| >= 8. The recurrence extends it to smaller |x|, the reflection formula to x < 0.
struct LgammaOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const V one = hn::Set(d, 1.0), a = hn::Abs(x);
    const auto is_small = hn::Lt(a, hn::Set(d, 8.0));
    V product, unused;
    rising_product(d, a, product, unused);
    const V y = hn::IfThenElse(is_small, hn::Add(a, hn::Set(d, 8.0)), a);
    const V r = hn::Div(one, y), z = hn::Mul(r, r);
    const V series = horner(d, z, hn::Set(d, -3617.0 / 122400), 1.0 / 156, -691.0 / 360360,
                            1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12);
    const V half = hn::Set(d, 0.5), log_y = vec_log(d, y);
    V value = hn::MulAdd(hn::Sub(y, half), log_y, hn::Sub(hn::Set(d, 0.9189385332046727), y));
    value = hn::MulAdd(series, r, value);
    // lgamma(a) = lgamma(a + 8) - log(product); lgamma(-a) = log(pi / (a |sin(pi a)|)) - lgamma(a).
    const V offset = hn::Sub(a, hn::Round(a));
    const V sine = hn::Abs(sin_pi(d, offset));
    const auto is_negative = hn::Lt(x, hn::Zero(d));
    const V log_product = vec_log(d, hn::IfThenElse(is_small, product, one));
    value = hn::Sub(value, log_product);
    if (!hn::AllFalse(d, is_negative)) {
      const V reflected = hn::Sub(vec_log(d, hn::Div(hn::Set(d, kPi), hn::Mul(a, sine))), value);
      value = hn::IfThenElse(is_negative, reflected, value);
    }
    const auto is_root = hn::Or(hn::Eq(x, one), hn::Eq(x, hn::Set(d, 2.0)));
    value = hn::IfThenElse(is_root, hn::Zero(d), value);
    const auto is_pole = hn::And(hn::Eq(offset, hn::Zero(d)), hn::Le(x, hn::Zero(d)));
    const auto is_infinite = hn::Or(is_pole, hn::Eq(a, hn::Set(d, inf)));
    return hn::IfThenElse(is_infinite, hn::Set(d, inf), value);
  }
};

/// Computes the derivative of LgammaOfDouble, in the same way.
struct DigammaOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const V one = hn::Set(d, 1.0);
    const auto is_negative = hn::Lt(x, hn::Zero(d));
    const V a = hn::IfThenElse(is_negative, hn::Sub(one, x), x);
    const auto is_small = hn::Lt(a, hn::Set(d, 8.0));
    V product, sum;
    rising_product(d, a, product, sum);
    const V y = hn::IfThenElse(is_small, hn::Add(a, hn::Set(d, 8.0)), a);
    const V r = hn::Div(one, y), z = hn::Mul(r, r);
    const V series = horner(d, z, hn::Set(d, 3617.0 / 8160), -1.0 / 12, 691.0 / 32760, -1.0 / 132,
                            1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12);
    V value = hn::MulAdd(series, z, hn::NegMulAdd(hn::Set(d, 0.5), r, vec_log(d, y)));
    value = hn::Sub(value, hn::IfThenElseZero(is_small, hn::Div(sum, product)));
    // psi(x) = psi(1 - x) - pi / tan(pi x)
    const V offset = hn::Sub(x, hn::Round(x));
    const V sine = sin_pi(d, offset);
    const V cosine = sin_pi(d, hn::Sub(hn::Set(d, 0.5), hn::Abs(offset)));
    const V reflected = hn::NegMulAdd(hn::Set(d, kPi), hn::Div(cosine, sine), value);
    value = hn::IfThenElse(is_negative, reflected, value);
    const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const auto is_pole = hn::And(is_negative, hn::Eq(x, hn::Round(x)));
    value = hn::IfThenElse(is_pole, nan, value);
    value = hn::IfThenElse(hn::Eq(x, hn::Set(d, inf)), x, value);
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::CopySign(hn::Set(d, inf), hn::Neg(x)), value);
  }
};

/// Computes the inverse of erf for f32, in f32: x times a polynomial of w = -log(1 - x^2), or
/// beyond w = 5 of its root (M. Giles, Approximating the erfinv Function, 2012). The polynomials
/// were fitted at Chebyshev nodes. Their largest parts are added last, which rounds once. In f64,
/// within 1 ulp, it took 2.5 times as long.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_erfinv(D d, V x) {
  const V one = hn::Set(d, 1.0f), a = hn::Abs(x);
  // 1 - x^2 as a product: the difference would cancel where products are rounded first.
  const V w = hn::Neg(vec_log(d, hn::Mul(hn::Sub(one, a), hn::Add(one, a))));
  const V t = hn::Sub(w, hn::Set(d, 3.125f)), s = hn::Sub(hn::Sqrt(w), hn::Set(d, 3.15f));
  const V low = horner(d, w, hn::Set(d, -2.28536669e-06f), 5.37845663e-05f, -0.000134021902f,
                       -0.00233252789f, 0.0115488125f, 0.232013702f, -2.7142347e-08f);
  const V middle = horner(d, t, hn::Set(d, -4.48994841e-09f), -2.05062296e-08f, 4.24641144e-07f,
                          -1.39111683e-06f, -1.38841879e-05f, 0.000186765974f, -0.000740701507f,
                          -0.00603368459f, 0.240158185f, 0.0286545642f);
  const V high = horner(d, s, hn::Set(d, 0.000114687144f), -0.000156734532f, -0.000332027732f,
                        0.00126848568f, -0.00234074867f, 0.00347105716f, -0.00493593654f,
                        0.00666630827f, 1.00406134f, -0.016582597f);
  const auto is_low = hn::Le(w, hn::Set(d, 1.25f)), is_high = hn::Gt(w, hn::Set(d, 5.0f));
  V rest = hn::IfThenElse(is_low, low, middle), largest = hn::Set(d, 1.625f);
  largest = hn::IfThenElse(is_low, hn::Set(d, 0.88622695f), largest);
  largest = hn::IfThenElse(is_high, hn::Set(d, 3.0f), largest);
  rest = hn::IfThenElse(is_high, high, rest);
  const V y = hn::MulAdd(x, largest, hn::Mul(x, rest));
  const V inf = hn::Set(d, std::numeric_limits<float>::infinity());
  const V nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
  const V at_end = hn::IfThenElse(hn::Eq(a, one), hn::CopySign(inf, x), nan);
  return hn::IfThenElse(hn::Lt(a, one), hn::CopySign(y, x), at_end);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
