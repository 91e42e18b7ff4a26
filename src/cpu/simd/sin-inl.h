// Vectorized sine and cosine of floats, computed in double by Highway. Include this file
// in the same way as math-inl.h. If TAPER_SIMD_SIN is 1, which it is with AVX2 and AVX-512, this
// file defines
//
//   vec_sin, vec_cos             sine and cosine of float lanes
//
// Results have an error of at most 0.5001 ulp. Highway's functions have errors of up to 2.7 ulp in
// double and 2.4 ulp in float, those of the C library 0.52 and 0.56. The C library computes
// arguments outside of the range of Highway's functions, |x| <= 39000.
#if defined(TAPER_CPU_SIMD_SIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_SIN_INL_H_
#undef TAPER_CPU_SIMD_SIN_INL_H_
#else
#define TAPER_CPU_SIMD_SIN_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstddef>

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

/// Returns the result of `wide`, computed in double, or of `fallback` for NaN and lanes beyond
/// Highway's range.
template <class D, class V, class Wide, class Outside>
HWY_INLINE V compute_in_double(D d, V x, Wide wide, Outside fallback) {
  constexpr float kRange = 39000;
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> dd;
  const auto low = wide(dd, hn::PromoteTo(dd, hn::LowerHalf(half, x)));
  const auto high = wide(dd, hn::PromoteTo(dd, hn::UpperHalf(half, x)));
  const V y = hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
  const auto in_range = hn::Le(hn::Abs(x), hn::Set(d, kRange));  // false for NaN
  if (HWY_LIKELY(hn::AllTrue(d, in_range))) return y;
  HWY_ALIGN float from[hn::MaxLanes(D())], to[hn::MaxLanes(D())];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::fabs(from[i]) <= kRange)) to[i] = fallback(from[i]);
  return hn::Load(d, to);
}

template <class D, class V> HWY_INLINE V vec_sin(D d, V x) {
  const V y = compute_in_double(
      d, x, [](auto dd, auto v) { return hn::Sin(dd, v); }, [](float v) { return std::sin(v); });
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // preserves -0
}
template <class D, class V> HWY_INLINE V vec_cos(D d, V x) {
  return compute_in_double(
      d, x, [](auto dd, auto v) { return hn::Cos(dd, v); }, [](float v) { return std::cos(v); });
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
#endif
