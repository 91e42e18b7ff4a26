// Logarithms, f32 and f64. Included through math-inl.h.
#if defined(TAPER_CPU_SIMD_LOG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_LOG_INL_H_
#undef TAPER_CPU_SIMD_LOG_INL_H_
#else
#define TAPER_CPU_SIMD_LOG_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "cpu/simd/exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Decomposes positive normal x = m 2^e with m in [sqrt(1/2), sqrt(2)) and an integer e. Both are
/// stored as floating-point numbers.
template <class D, class V = hn::Vec<D>> HWY_INLINE void split_log(D d, V x, V& m, V& e) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  using I = hn::TFromD<decltype(di)>;
  constexpr int bits = sizeof(T) == 4 ? 23 : 52;
  constexpr I root =
      sizeof(T) == 4 ? static_cast<I>(0x3f3504f3) : static_cast<I>(0x3fe6a09e667f3bcdLL);
  const auto i = hn::BitCast(di, x);
  const auto k = hn::Sub(i, hn::Set(di, root));
  const auto exponent = hn::And(k, hn::Set(di, static_cast<I>(~((I{1} << bits) - 1))));
  m = hn::BitCast(d, hn::Sub(i, exponent));
  if constexpr (sizeof(T) == 4) {
    e = hn::ConvertTo(d, hn::ShiftRight<bits>(exponent));
  } else {
    // 64-bit arithmetic shifts and conversions are slow before AVX-512, so the exponent is
    // converted by adding it to the mantissa bits of 2^52.
    const hn::RebindToUnsigned<D> du;
    const auto biased = hn::ShiftRight<bits>(
        hn::Add(hn::BitCast(du, exponent), hn::Set(du, static_cast<std::uint64_t>(2048) << bits)));
    const V shifted =
        hn::BitCast(d, hn::Or(biased, hn::BitCast(du, hn::Set(d, 4503599627370496.0))));
    e = hn::Sub(shifted, hn::Set(d, 4503599627370496.0 + 2048.0));
  }
}

/// Computes log(m 2^e), where f = m - 1.
template <class D, class V = hn::Vec<D>> HWY_INLINE V log_core(D d, V f, V e) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, static_cast<T>(0.5));
  const V f2 = hn::Mul(f, f);
  if constexpr (sizeof(T) == 4) {
    const V p = horner(d, f, hn::Set(d, 7.0376836292e-2f), -1.1514610310e-1f, 1.1676998740e-1f,
                       -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f,
                       -2.4999993993e-1f, 3.3333331174e-1f);
    V y = hn::Mul(hn::Mul(p, f), f2);
    y = hn::MulAdd(e, hn::Set(d, -2.12194440e-4f), y);
    y = hn::NegMulAdd(half, f2, y);
    return hn::MulAdd(e, hn::Set(d, 0.693359375f), hn::Add(f, y));
  } else {
    const V s = hn::Div(f, hn::Add(hn::Set(d, 2.0), f));
    const V z = hn::Mul(s, s);
    const V p = horner(d, z, hn::Set(d, 1.479819860511658591e-01), 1.531383769920937332e-01,
                       1.818357216161805012e-01, 2.222219843214978396e-01, 2.857142874366239149e-01,
                       3.999999999940941908e-01, 6.666666666666735130e-01);
    const V hf = hn::Mul(half, f2);
    const V tail =
        hn::MulAdd(e, hn::Set(d, 1.90821492927058770002e-10), hn::Mul(s, hn::MulAdd(p, z, hf)));
    return hn::MulAdd(e, hn::Set(d, 6.93147180369123816490e-01), hn::Sub(f, hn::Sub(hf, tail)));
  }
}

/// Computes log(x) to 1 ulp: -infinity for 0, NaN for negative x. Supports subnormal x.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_log(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T scale =
      sizeof(T) == 4 ? static_cast<T>(33554432.0) : static_cast<T>(18014398509481984.0);
  constexpr T shift = sizeof(T) == 4 ? static_cast<T>(25) : static_cast<T>(54);
  const auto is_subnormal = hn::Lt(x, hn::Set(d, std::numeric_limits<T>::min()));
  const V normal = hn::IfThenElse(is_subnormal, hn::Mul(x, hn::Set(d, scale)), x);
  V m, e;
  split_log(d, normal, m, e);
  e = hn::Sub(e, hn::IfThenElseZero(is_subnormal, hn::Set(d, shift)));
  V y = log_core(d, hn::Sub(m, hn::Set(d, static_cast<T>(1))), e);
  constexpr T inf = std::numeric_limits<T>::infinity();
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -inf), y);
  y = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, std::numeric_limits<T>::quiet_NaN()), y);
  y = hn::IfThenElse(hn::Eq(x, hn::Set(d, inf)), x, y);
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

/// Computes log(1 + x) to 2 ulp, without cancellation for small x.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_log1p(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, static_cast<T>(1));
  const V u = hn::Add(one, x);
  // Rounding error of the sum 1 + x.
  const V rounding_error = hn::IfThenElse(hn::Ge(u, hn::Set(d, static_cast<T>(2))),
                                          hn::Sub(one, hn::Sub(u, x)), hn::Sub(x, hn::Sub(u, one)));
  V y = hn::Add(vec_log(d, u), hn::Div(rounding_error, u));
  const auto use_log_directly =
      hn::Or(hn::Eq(u, hn::Zero(d)), hn::Eq(u, hn::Set(d, std::numeric_limits<T>::infinity())));
  y = hn::IfThenElse(use_log_directly, vec_log(d, u), y);
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}

/// Computes log(1 + e^-|x|) to 2 ulp.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_log1p_exp(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, static_cast<T>(1)), half = hn::Set(d, static_cast<T>(0.5));
  const V t = vec_exp(d, hn::Neg(hn::Abs(x)));
  // 1 + t is m 2^e with m - 1 = t, or (t - 1) / 2, which are exact or nearly so.
  const auto is_large = hn::Gt(t, hn::Set(d, static_cast<T>(0.41421356237309504880)));
  return log_core(d, hn::IfThenElse(is_large, hn::Mul(hn::Sub(t, one), half), t),
                  hn::IfThenElseZero(is_large, one));
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
