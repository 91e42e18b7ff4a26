// Vectorized sine, cosine and tangent of floats, computed in double. Include this file in the same
// way as math-inl.h. If TAPER_SIMD_SIN is 1, which it is with AVX2 and AVX-512, this file defines
//
//   vec_sin, vec_cos, vec_tan    sine, cosine and tangent of float lanes
//
// Results have an error of at most 0.5001 ulp. The C library, whose errors are up to 0.57 ulp,
// computes arguments of 2^30 and more.
#if defined(TAPER_CPU_SIMD_SIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_SIN_INL_H_
#undef TAPER_CPU_SIMD_SIN_INL_H_
#else
#define TAPER_CPU_SIMD_SIN_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

#include "cpu/simd/inverse-inl.h"

#undef TAPER_SIMD_SIN
#if HWY_TARGET <= HWY_AVX2
#define TAPER_SIMD_SIN 1
#else
#define TAPER_SIMD_SIN 0
#endif

#if TAPER_SIMD_SIN
HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// An angle as n pi / 2 + r with |r| <= pi / 4: the low bits of n, and sine and cosine of r.
template <class D> struct Angle {
  hn::Vec<hn::RebindToUnsigned<D>> n;
  hn::Vec<D> sine, cosine;

  HWY_INLINE Angle(D d, hn::Vec<D> x) {
    // Adding 1.5 * 2^52 rounds to an integer and stores it in the low bits.
    const auto magic = hn::Set(d, 0x1.8p52);
    const auto shifted = hn::MulAdd(x, hn::Set(d, 0.63661977236758138), magic);
    n = hn::BitCast(hn::RebindToUnsigned<D>(), shifted);
    const auto whole = hn::Sub(shifted, magic);
    // Subtracts n pi / 2 in two parts by fused multiply-adds, which do not round the products.
    auto r = hn::NegMulAdd(whole, hn::Set(d, 1.5707963267948966), x);
    r = hn::NegMulAdd(whole, hn::Set(d, 6.1232339957367660e-17), r);
    // Taylor polynomials with errors below 2^-37.
    const auto s = hn::Mul(r, r);
    const auto p =
        horner(d, s, hn::Set(d, -1.0 / 39916800), 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
    sine = hn::MulAdd(hn::Mul(p, s), r, r);
    cosine = horner(d, s, hn::Set(d, 1.0 / 479001600), -1.0 / 3628800, 1.0 / 40320, -1.0 / 720,
                    1.0 / 24, -1.0 / 2, 1.0);
  }
};

template <class D> HWY_INLINE hn::Mask<D> is_odd(D d, hn::Vec<hn::RebindToUnsigned<D>> n) {
  const hn::RebindToUnsigned<D> u;
  return hn::RebindMask(d, hn::TestBit(n, hn::Set(u, std::uint64_t{1})));
}

/// Computes sin(x + shift pi / 2).
template <std::uint64_t shift> struct SinOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const hn::RebindToUnsigned<D> u;
    const Angle<D> angle(d, x);
    const auto n = hn::Add(angle.n, hn::Set(u, shift));
    const V y = hn::IfThenElse(is_odd(d, n), angle.cosine, angle.sine);
    const auto sign = hn::ShiftLeft<62>(hn::And(n, hn::Set(u, std::uint64_t{2})));
    return hn::Xor(y, hn::BitCast(d, sign));
  }
};
struct TanOfDouble {
  template <class D, class V> static HWY_INLINE V apply(D d, V x) {
    const Angle<D> angle(d, x);
    const auto odd = is_odd(d, angle.n);
    const V top = hn::IfThenElse(odd, hn::Neg(angle.cosine), angle.sine);
    return hn::Div(top, hn::IfThenElse(odd, angle.sine, angle.cosine));
  }
};

/// Returns F::apply, computed in double, or `outside` for NaN and lanes with |x| >= 2^30.
template <class F, class D, class V, class Outside>
HWY_INLINE V compute_in_double(D d, V x, Outside outside) {
  constexpr float kRange = 0x1p30f;
  const V y = in_double<F>(d, x);
  const auto in_range = hn::Lt(hn::Abs(x), hn::Set(d, kRange));  // false for NaN
  if (HWY_LIKELY(hn::AllTrue(d, in_range))) return y;
  HWY_ALIGN float from[hn::MaxLanes(D())], to[hn::MaxLanes(D())];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::fabs(from[i]) < kRange)) to[i] = outside(from[i]);
  return hn::Load(d, to);
}

template <class D, class V> HWY_INLINE V vec_sin(D d, V x) {
  const V y = compute_in_double<SinOfDouble<0>>(d, x, [](float v) { return std::sin(v); });
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // preserves -0
}
template <class D, class V> HWY_INLINE V vec_cos(D d, V x) {
  return compute_in_double<SinOfDouble<1>>(d, x, [](float v) { return std::cos(v); });
}
template <class D, class V> HWY_INLINE V vec_tan(D d, V x) {
  const V y = compute_in_double<TanOfDouble>(d, x, [](float v) { return std::tan(v); });
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
#endif
