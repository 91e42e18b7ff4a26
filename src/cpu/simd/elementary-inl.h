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
/// Computes erfc(x) in f64 with the approximations of fdlibm.
template <class D, class V = hn::Vec<D>> HWY_INLINE V erfc_f64(D d, V x) {
  const V one = hn::Set(d, 1.0), t = hn::Abs(x);
  const V c = hn::Min(hn::Max(t, one), hn::Set(d, 28.0));
  const V s = hn::Div(one, hn::Mul(c, c));
  const V ra =
      horner(d, s, hn::Set(d, -9.81432934416914548592e+00), -8.12874355063065934246e+01,
             -1.84605092906711035994e+02, -1.62396669462573470355e+02, -6.23753324503260060396e+01,
             -1.05586262253232909814e+01, -6.93858572707181764372e-01, -9.86494403484714822705e-03);
  const V sa = horner(d, s, hn::Set(d, -6.04244152148580987438e-02), 6.57024977031928170135e+00,
                      1.08635005541779435134e+02, 4.29008140027567833386e+02,
                      6.45387271733267880336e+02, 4.34565877475229228821e+02,
                      1.37657754143519042600e+02, 1.96512716674392571292e+01, 1.0);
  const V rb =
      horner(d, s, hn::Set(d, -4.83519191608651397019e+02), -1.02509513161107724954e+03,
             -6.37566443368389627722e+02, -1.60636384855821916062e+02, -1.77579549177547519889e+01,
             -7.99283237680523006574e-01, -9.86494292470009928597e-03);
  const V sb =
      horner(d, s, hn::Set(d, -2.24409524465858183362e+01), 4.74528541206955367215e+02,
             2.55305040643316442583e+03, 3.19985821950859553908e+03, 1.53672958608443695994e+03,
             3.25792512996573918826e+02, 3.03380607434824582924e+01, 1.0);
  const auto is_far = hn::Ge(c, hn::Set(d, 1.0 / 0.35));
  const V ratio = hn::Div(hn::IfThenElse(is_far, rb, ra), hn::IfThenElse(is_far, sb, sa));
  // The square is split into a part that is exact in 53 bits and a small remainder.
  const hn::RebindToUnsigned<D> du;
  const V high = hn::BitCast(
      d,
      hn::And(hn::BitCast(du, c), hn::Set(du, static_cast<std::uint64_t>(0xffffffff00000000ULL))));
  const V e1 = vec_exp(d, hn::NegMulAdd(high, high, hn::Set(d, -0.5625)));
  const V e2 = vec_exp(d, hn::MulAdd(hn::Sub(high, c), hn::Add(high, c), ratio));
  const V tail = hn::Div(hn::Mul(e1, e2), c);
  const V beyond = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), tail), tail);
  return hn::IfThenElse(hn::Lt(t, hn::Set(d, 1.25)), hn::Sub(one, vec_erf(d, x)), beyond);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
