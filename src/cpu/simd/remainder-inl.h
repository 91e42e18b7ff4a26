// Remainders and floor division of floats, as kernel::fmod, kernel::remainder and kernel::floor_div
// compute them, exactly. Not available for HWY_SCALAR. Include this file in the same way as
// math-inl.h.
#if defined(TAPER_CPU_SIMD_REMAINDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_REMAINDER_INL_H_
#undef TAPER_CPU_SIMD_REMAINDER_INL_H_
#else
#define TAPER_CPU_SIMD_REMAINDER_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "cpu/simd/inverse-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Remainder of f32 operands whose quotient is below 2^52. The fused product is exact then.
struct FmodOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D, V a, V b) {
    const V x = hn::Abs(a), y = hn::Abs(b);
    V rest = hn::NegMulAdd(hn::Trunc(hn::Div(x, y)), y, x);
    // The division may round a quotient just below an integer to that integer.
    rest = hn::IfThenElse(hn::Lt(rest, hn::Zero(D())), hn::Add(rest, y), rest);
    return hn::CopySign(hn::IfThenElse(hn::Lt(x, y), x, rest), a);
  }
};

/// Computes the remainder of a / b with the sign of a, as C's fmod.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_fmod(D d, V a, V b) {
  const V rest = in_double<FmodOfDouble>(d, a, b);
  const auto is_large =
      hn::Ge(hn::Abs(a), hn::Mul(hn::Abs(b), hn::Set(d, 0x1p50f)));  // false for NaN
  if (HWY_LIKELY(hn::AllFalse(d, is_large))) return rest;
  HWY_ALIGN float x[hn::MaxLanes(D())], y[hn::MaxLanes(D())];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) x[i] = std::fmod(x[i], y[i]);
  return hn::Load(d, x);
}

/// Returns true where a remainder with the sign of the dividend lacks the sign of the divisor.
template <class D, class V = hn::Vec<D>> HWY_INLINE hn::Mask<D> has_other_sign(D d, V rest, V b) {
  const V zero = hn::Zero(d);
  return hn::And(hn::Ne(rest, zero), hn::Xor(hn::Lt(b, zero), hn::Lt(rest, zero)));
}

/// Computes the remainder of a / b with the sign of b, as Python's `%`.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_remainder(D d, V a, V b) {
  const V rest = vec_fmod(d, a, b);
  return hn::IfThenElse(has_other_sign(d, rest, b), hn::Add(rest, b), rest);
}

/// Computes a / b rounded down, consistent with the remainder, as Python's floor division.
template <class D, class V = hn::Vec<D>> HWY_INLINE V vec_floor_div(D d, V a, V b) {
  const V one = hn::Set(d, 1.0f), zero = hn::Zero(d), ratio = hn::Div(a, b);
  const V rest = vec_fmod(d, a, b);
  V q = hn::Div(hn::Sub(a, rest), b);
  q = hn::IfThenElse(has_other_sign(d, rest, b), hn::Sub(q, one), q);
  V down = hn::Floor(q);
  down = hn::IfThenElse(hn::Gt(hn::Sub(q, down), hn::Set(d, 0.5f)), hn::Add(down, one), down);
  const V nonzero = hn::IfThenElse(hn::Eq(q, zero), hn::CopySign(zero, ratio), down);
  return hn::IfThenElse(hn::Eq(b, zero), ratio, nonzero);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
#endif
