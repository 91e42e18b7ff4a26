// Functions of the Gaussian error linear unit, f32 and f64. Include this file in the same way as
// math-inl.h.
//
// Lower tails are computed without cancellation and are 0 below the normal range. In f32, their
// relative error is 4 ulp plus the rounding error of the exponent, x^2 / 4 ulp.
#if defined(TAPER_CPU_SIMD_GELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_GELU_INL_H_
#undef TAPER_CPU_SIMD_GELU_INL_H_
#else
#define TAPER_CPU_SIMD_GELU_INL_H_
#endif

#include <cmath>

#include "cpu/simd/inverse-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Returns f(x) of a function with f(x) + f(-x) = 1, given `lower` = f(-|x|).
template <class D, class V = hn::Vec<D>> HWY_INLINE V select_tail(D d, V x, V lower) {
  const V one = hn::Set(d, static_cast<hn::TFromD<D>>(1));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), lower, hn::Sub(one, lower));
}

/// Returns |x|, clamped so that rational functions remain finite where the Gaussian is 0.
template <class D, class V = hn::Vec<D>> HWY_INLINE V clamped_abs(D d, V x) {
  return hn::Min(hn::Abs(x), hn::Set(d, static_cast<hn::TFromD<D>>(13.3)));
}

/// Computes e^(-x^2 / 2).
template <class D, class V = hn::Vec<D>> HWY_INLINE V gaussian(D d, V x) {
  const V scaled = hn::Mul(x, hn::Set(d, static_cast<hn::TFromD<D>>(-0.5)));
  return vec_exp_nonpositive(d, hn::Mul(scaled, x));
}

/// Computes erfc(x) in f64.
template <class D, class V = hn::Vec<D>> HWY_INLINE V erfc_of_doubles(D d, V x) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, std::erfc(hn::GetLane(x)));
#else
  return vec_erfc(d, x);
#endif
}

/// Computes the cumulative distribution function of the standard normal distribution.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_normal_cdf(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V half = hn::Set(d, 0.5), scale = hn::Set(d, -0.70710678118654752440);
    return hn::Mul(half, erfc_of_doubles(d, hn::Mul(x, scale)));
  } else {
    // The rational function approximates the quotient of the lower tail and the Gaussian, which
    // decreases slowly, to 5e-9 on [0, 13.3].
    const V a = clamped_abs(d, x);
    const V p = horner(d, a, hn::Set(d, 4.020189434505865e-3f), 3.998416899578751e-2f,
                       1.8130675425238468e-1f, 4.35686319791425e-1f, 5.000000024852072e-1f);
    const V q = horner(d, a, hn::Set(d, 1.0076977290381461e-2f), 1.0023282972229884e-1f,
                       4.6438031918607525e-1f, 1.1944842064634003f, 1.669257558578793f, 1.0f);
    return select_tail(d, x, hn::Div(hn::Mul(gaussian(d, x), p), q));
  }
}

/// Computes the derivative of x Phi(x), Phi(x) + x phi(x).
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_gelu_slope(D d, V x) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V density = hn::Mul(gaussian(d, x), hn::Set(d, 0.39894228040143267794));
    return hn::MulAdd(x, density, vec_normal_cdf(d, x));
  } else {
    // The quotient of the lower tail and the Gaussian by a rational function, to 7e-9. The slope at
    // -x is 1 minus the slope at x.
    const V a = clamped_abs(d, x);
    const V p =
        horner(d, a, hn::Set(d, -1.0264462923528138e-2f), -8.687246125807276e-2f,
               -3.041468010457632e-1f, -4.6869785413906867e-1f, -1.0062257124707081e-1f, 0.5f);
    const V q = horner(d, a, hn::Set(d, 2.572901448114976e-2f), 2.1776525017756013e-1f,
                       7.879467104178275e-1f, 1.3945235487648122f, 1.0f);
    return select_tail(d, x, hn::Div(hn::Mul(gaussian(d, x), p), q));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
