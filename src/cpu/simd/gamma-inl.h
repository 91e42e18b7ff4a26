// Gamma functions and the inverse error function of f32, computed in f64. Include this file in the
// same way as math-inl.h. Errors are at most 1 ulp; results for infinities, poles and NaN are those
// of PyTorch.
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

/// Computes the inverse of erf for f32 by the normal quantile of Wichura's algorithm AS 241 (1988):
/// a rational function of x near 0, otherwise of sqrt(-log((1 - |x|) / 2)). 1 - |x| is at least
/// 2^-24, so that the third region of the algorithm is not needed.
struct ErfinvOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const V one = hn::Set(d, 1.0), a = hn::Abs(x), q = hn::Mul(x, hn::Set(d, 0.5));
    const V z = hn::NegMulAdd(q, q, hn::Set(d, 0.180625));
    const V near =
        horner(d, z, hn::Set(d, 2.5090809287301226727e+3), 3.3430575583588128105e+4,
               6.7265770927008700853e+4, 4.5921953931549871457e+4, 1.3731693765509461125e+4,
               1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e0);
    const V near_divisor =
        horner(d, z, hn::Set(d, 5.2264952788528545610e+3), 2.8729085735721942674e+4,
               3.9307895800092710610e+4, 2.1213794301586595867e+4, 5.3941960214247511077e+3,
               6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0);
    const V rest = hn::Mul(hn::Sub(one, a), hn::Set(d, 0.5));
    const V root = hn::Sqrt(hn::Neg(vec_log(d, hn::Max(rest, hn::Set(d, 1e-9)))));
    const V r = hn::Sub(root, hn::Set(d, 1.6));
    const V far =
        horner(d, r, hn::Set(d, 7.74545014278341407640e-4), 2.27238449892691845833e-2,
               2.41780725177450611770e-1, 1.27045825245236838258e0, 3.64784832476320460504e0,
               5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0);
    const V far_divisor =
        horner(d, r, hn::Set(d, 1.05075007164441684324e-9), 5.47593808499534494600e-4,
               1.51986665636164571966e-2, 1.48103976427480074590e-1, 6.89767334985100004550e-1,
               1.67638483018380384940e0, 2.05319162663775882187e0, 1.0);
    const auto is_near = hn::Le(a, hn::Set(d, 0.85));
    const V quantile = hn::Div(hn::IfThenElse(is_near, hn::Mul(q, near), hn::CopySign(far, x)),
                               hn::IfThenElse(is_near, near_divisor, far_divisor));
    const V y = hn::Mul(quantile, hn::Set(d, 0.70710678118654752440));
    const V inf = hn::Set(d, std::numeric_limits<double>::infinity());
    const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const V at_end = hn::IfThenElse(hn::Eq(a, one), hn::CopySign(inf, x), nan);
    return hn::IfThenElse(hn::Lt(a, one), y, at_end);
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
