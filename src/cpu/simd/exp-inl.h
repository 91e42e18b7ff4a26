// Exponential functions and functions derived from them, f32 and f64. Included through math-inl.h.
#if defined(TAPER_CPU_SIMD_EXP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_EXP_INL_H_
#undef TAPER_CPU_SIMD_EXP_INL_H_
#else
#define TAPER_CPU_SIMD_EXP_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Evaluates a polynomial with Horner's rule. Coefficients start with the highest power.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>> HWY_INLINE V horner(D, V, V sum) {
  return sum;
}
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>, class... More>
HWY_INLINE V horner(D d, V x, V sum, T c, More... more) {
  return horner(d, x, hn::MulAdd(sum, x, hn::Set(d, c)), more...);
}

/// Returns 2^n for integers n (as floats) whose result is a normal number.
template <class D, class V = hn::Vec<D>> HWY_INLINE V exp2_integer(D d, V n) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  // Adding 1.5 * 2^(mantissa bits) moves n into the low bits without a conversion, for 32 and 64
  // bits.
  constexpr int bits = sizeof(T) == 4 ? 23 : 52;
  constexpr T magic =
      sizeof(T) == 4 ? static_cast<T>(12582912.0) : static_cast<T>(6755399441055744.0);
  constexpr T bias = sizeof(T) == 4 ? static_cast<T>(127) : static_cast<T>(1023);
  const V shifted = hn::Add(n, hn::Set(d, magic + bias));
  return hn::BitCast(d, hn::ShiftLeft<bits>(hn::BitCast(di, shifted)));
}

/// Returns x 2^n for integers n, rounded once, also if the result is subnormal or overflows. x is
/// in [0.5, 2], |n| at most twice the largest exponent.
template <class D, class V = hn::Vec<D>> HWY_INLINE V scale_by_exp2(D d, V x, V n) {
  using T = hn::TFromD<D>;
#if HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(D()) * sizeof(T) == 64) {
    if constexpr (sizeof(T) == 4)
      return V{_mm512_scalef_ps(x.raw, n.raw)};
    else
      return V{_mm512_scalef_pd(x.raw, n.raw)};
  }
#endif
  // The first product is a normal number.
  const V half = hn::Floor(hn::Mul(n, hn::Set(d, static_cast<T>(0.5))));
  return hn::Mul(hn::Mul(x, exp2_integer(d, half)), exp2_integer(d, hn::Sub(n, half)));
}

/// Clamps x to [low, high]; preserves NaN.
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V clamp_numbers(D d, V x, T low, T high) {
#if HWY_TARGET == HWY_AVX2 || \
    HWY_TARGET == HWY_AVX3  // if an operand is NaN, the second one is returned
  return hn::Min(hn::Set(d, high), hn::Max(hn::Set(d, low), x));
#else
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Min(hn::Max(x, hn::Set(d, low)), hn::Set(d, high)));
#endif
}

/// Computes x - n ln 2.
template <class D, class V = hn::Vec<D>> HWY_INLINE V exp_remainder(D d, V x, V n) {
  using T = hn::TFromD<D>;
  // The high part of ln 2 has few enough bits that its product with n is exact.
  constexpr T high =
      sizeof(T) == 4 ? static_cast<T>(0.693359375) : static_cast<T>(6.93147180369123816490e-01);
  constexpr T low = sizeof(T) == 4 ? static_cast<T>(-2.12194440054690583e-4)
                                   : static_cast<T>(1.90821492927058770002e-10);
  return hn::NegMulAdd(n, hn::Set(d, low), hn::NegMulAdd(n, hn::Set(d, high), x));
}

/// Decomposes x = n ln 2 + r with |r| <= ln 2 / 2.
template <class D, class V = hn::Vec<D>> HWY_INLINE void split_exp(D d, V x, V& n, V& r) {
  using T = hn::TFromD<D>;
  n = hn::Round(hn::Mul(x, hn::Set(d, static_cast<T>(1.4426950408889634074))));
  r = exp_remainder(d, x, n);
}

/// Computes e^r - 1 for |r| <= ln 2 / 2.
template <class D, class V = hn::Vec<D>> HWY_INLINE V expm1_poly(D d, V r) {
  using T = hn::TFromD<D>;
  const V r2 = hn::Mul(r, r);
  if constexpr (sizeof(T) == 4) {
    const V p = horner(d, r, hn::Set(d, 1.9875691500e-4f), 1.3981999507e-3f, 8.3334519073e-3f,
                       4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f);
    return hn::MulAdd(p, r2, r);
  } else {
    const V p = horner(d, r, hn::Set(d, 1.0 / 6227020800.0), 1.0 / 479001600.0, 1.0 / 39916800.0,
                       1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0,
                       1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5);
    return hn::MulAdd(p, r2, r);
  }
}

/// Computes e^x to 1 ulp, with exact limits (0, infinity), subnormal results, and NaN for NaN.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_exp(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T low = sizeof(T) == 4 ? static_cast<T>(-104.0) : static_cast<T>(-746.0);
  constexpr T high = sizeof(T) == 4 ? static_cast<T>(89.0) : static_cast<T>(710.0);
  V n, r;
  split_exp(d, clamp_numbers(d, x, low, high), n, r);
  return scale_by_exp2(d, hn::Add(hn::Set(d, static_cast<T>(1)), expm1_poly(d, r)), n);
}

/// Computes e^x to 1 ulp for x whose result is a normal number, [-87.3, 88.3] in f32. NaN for NaN;
/// results for other x are unspecified.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_exp_normal(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  constexpr int bits = sizeof(T) == 4 ? 23 : 52;
  // As in exp2_integer. One sum rounds x / ln 2 to an integer and biases the exponent.
  constexpr T shift =
      sizeof(T) == 4 ? static_cast<T>(12582912.0 + 127) : static_cast<T>(6755399441055744.0 + 1023);
  const V shifted =
      hn::MulAdd(x, hn::Set(d, static_cast<T>(1.4426950408889634074)), hn::Set(d, shift));
  const V r = exp_remainder(d, x, hn::Sub(shifted, hn::Set(d, shift)));
  const V scale = hn::BitCast(d, hn::ShiftLeft<bits>(hn::BitCast(di, shifted)));
  return hn::Mul(hn::Add(hn::Set(d, static_cast<T>(1)), expm1_poly(d, r)), scale);
}

/// Computes e^x for x <= 0 to 1 ulp, for softmax. Results below the normal range are 0. NaN for
/// NaN.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_exp_nonpositive(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T low = sizeof(T) == 4 ? static_cast<T>(-87.3) : static_cast<T>(-708.3);
#if HWY_TARGET == HWY_AVX3
  if constexpr (hn::MaxLanes(D()) * sizeof(T) == 64) {
    V n, r;
    split_exp(d, x, n, r);
    const V y = hn::Add(hn::Set(d, static_cast<T>(1)), expm1_poly(d, r));
    if constexpr (sizeof(T) == 4)
      return V{_mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(low), _CMP_NLT_UQ),
                                      y.raw, n.raw)};
    else
      return V{_mm512_maskz_scalef_pd(_mm512_cmp_pd_mask(x.raw, _mm512_set1_pd(low), _CMP_NLT_UQ),
                                      y.raw, n.raw)};
  }
#endif
  // The condition `x >= low` would discard NaN.
  const auto underflows = hn::Lt(x, hn::Set(d, low));
  return hn::IfThenZeroElse(underflows, vec_exp_normal(d, hn::IfThenZeroElse(underflows, x)));
}

/// Computes e^x - 1 to 2 ulp, without cancellation.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_expm1(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T low = sizeof(T) == 4 ? static_cast<T>(-20.0) : static_cast<T>(-50.0);
  constexpr T high = sizeof(T) == 4 ? static_cast<T>(89.0) : static_cast<T>(710.0);
  const V c = hn::Min(hn::Max(x, hn::Set(d, low)), hn::Set(d, high));
  V n, r;
  split_exp(d, c, n, r);
  const V one = hn::Set(d, static_cast<T>(1));
  // Computed as 2 (2^(n-1) p + (2^(n-1) - 1/2)), because 2^n may overflow.
  const V h = exp2_integer(d, hn::Sub(n, one));
  const V q = hn::MulAdd(h, expm1_poly(d, r), hn::Sub(h, hn::Set(d, static_cast<T>(0.5))));
  const V result = hn::IfThenElse(hn::Eq(n, hn::Zero(d)), expm1_poly(d, r), hn::Add(q, q));
  const V zero_or_nan = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);
  return hn::IfThenElse(hn::IsNaN(x), x, zero_or_nan);
}

/// Computes 1 / (1 + e^-x) to 2.5 ulp. The result is 0 where e^-x overflows, as in PyTorch.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_sigmoid(D d, V x) {
  const V one = hn::Set(d, static_cast<hn::TFromD<D>>(1));
  // The division runs beside the next exponential.
  return hn::Div(one, hn::Add(one, vec_exp(d, hn::Neg(x))));
}

/// Computes tanh(x) to 2.5 ulp, as e / (e + 2) with e = e^(2 |x|) - 1.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_tanh(D d, V x) {
  using T = hn::TFromD<D>;
  // From here on the result is 1.
  constexpr T last = sizeof(T) == 4 ? static_cast<T>(20) : static_cast<T>(40);
  const V a = hn::Abs(x), one = hn::Set(d, static_cast<T>(1));
  V n, r;
  split_exp(d, clamp_numbers(d, hn::Add(a, a), static_cast<T>(0), last), n, r);
  const V power = exp2_integer(d, n);
  const V e = hn::MulAdd(power, expm1_poly(d, r), hn::Sub(power, one));
  return hn::CopySign(hn::Div(e, hn::Add(e, hn::Set(d, static_cast<T>(2)))), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
