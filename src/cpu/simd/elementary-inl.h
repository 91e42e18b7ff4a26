// Further exponential and hyperbolic functions and logarithms of f32 and f64, and erfc of f64.
// Include this file in the same way as math-inl.h. Errors are at most 4 ulp; results for
// infinities, zeros and NaN are those of the C library.
#if defined(TAPER_CPU_SIMD_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_ELEMENTARY_INL_H_
#undef TAPER_CPU_SIMD_ELEMENTARY_INL_H_
#else
#define TAPER_CPU_SIMD_ELEMENTARY_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Computes 2^x.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_exp2(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T low = sizeof(T) == 4 ? static_cast<T>(-151.0) : static_cast<T>(-1076.0);
  constexpr T high = sizeof(T) == 4 ? static_cast<T>(129.0) : static_cast<T>(1025.0);
  const V c = clamp_numbers(d, x, low, high), n = hn::Round(c);
  const V r = hn::Mul(hn::Sub(c, n), hn::Set(d, static_cast<T>(0.6931471805599453)));
  return scale_by_exp2(d, hn::Add(hn::Set(d, static_cast<T>(1)), expm1_poly(d, r)), n);
}

/// Computes log2(x), which is exact for powers of two.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_log2(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T scale =
      sizeof(T) == 4 ? static_cast<T>(33554432.0) : static_cast<T>(18014398509481984.0);
  constexpr T shift = sizeof(T) == 4 ? static_cast<T>(25) : static_cast<T>(54);
  const auto is_subnormal = hn::Lt(x, hn::Set(d, std::numeric_limits<T>::min()));
  V m, e;
  split_log(d, hn::IfThenElse(is_subnormal, hn::Mul(x, hn::Set(d, scale)), x), m, e);
  e = hn::Sub(e, hn::IfThenElseZero(is_subnormal, hn::Set(d, shift)));
  const V fraction = log_core(d, hn::Sub(m, hn::Set(d, static_cast<T>(1))), hn::Zero(d));
  V y = hn::MulAdd(fraction, hn::Set(d, static_cast<T>(1.4426950408889634)), e);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -inf), y);
  y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, std::numeric_limits<T>::quiet_NaN()), y);
  y = hn::IfThenElse(hn::Eq(x, hn::Set(d, inf)), x, y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

/// Computes sinh(x).
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_sinh(D d, V x) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, static_cast<T>(0.5)), one = hn::Set(d, static_cast<T>(1));
  const V a = hn::Abs(x), t = vec_expm1(d, a);
  const V near = hn::Mul(half, hn::Add(t, hn::Div(t, hn::Add(t, one))));
  // The factors of large results do not overflow.
  const V root = vec_exp(d, hn::Mul(a, half)), far = hn::Mul(hn::Mul(half, root), root);
  const V y = hn::IfThenElse(hn::Lt(a, hn::Set(d, static_cast<T>(20))), near, far);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(y, x));
}

/// Computes cosh(x).
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_cosh(D d, V x) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, static_cast<T>(0.5));
  const V root = vec_exp(d, hn::Mul(hn::Abs(x), half));
  const V y = hn::MulAdd(hn::Mul(half, root), root, hn::Div(half, hn::Mul(root, root)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

#if HWY_TARGET != HWY_SCALAR
/// Computes erfc(x) in f64.
template <class D, class V = hn::Vec<D>> HWY_INLINE V erfc_f64(D d, V x) {
  const V one = hn::Set(d, 1.0), t = hn::Abs(x);
  const V tail = erfc_tail_f64(d, hn::Min(hn::Max(t, one), hn::Set(d, 28.0)));
  const V beyond = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), tail), tail);
  return hn::IfThenElse(hn::Lt(t, hn::Set(d, 1.25)), hn::Sub(one, vec_erf(d, x)), beyond);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
