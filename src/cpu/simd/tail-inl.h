// Loads and stores of the first `n` lanes that do not access memory beyond them, on every target.
#if defined(TAPER_CPU_SIMD_TAIL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_TAIL_INL_H_
#undef TAPER_CPU_SIMD_TAIL_INL_H_
#else
#define TAPER_CPU_SIMD_TAIL_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef TAPER_SIMD_MASKED_MOVES
// Masked moves of 4- and 8-byte lanes do not access the masked lanes on AVX2 and AVX-512.
#if HWY_TARGET <= HWY_AVX2 && !HWY_IS_MSAN
#define TAPER_SIMD_MASKED_MOVES 1
#else
#define TAPER_SIMD_MASKED_MOVES 0
#endif

/// Loads lanes [0, n) from `p` and sets the others to zero. n may be 0 to the number of lanes.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_n(D d, const T* HWY_RESTRICT p, std::size_t n) {
#if TAPER_SIMD_MASKED_MOVES
  if constexpr (sizeof(T) >= 4) return hn::MaskedLoad(hn::FirstN(d, n), d, p);
#endif
  HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
  for (std::size_t i = 0; i < n; ++i) lanes[i] = p[i];
  return hn::Load(d, lanes);
}

/// As `load_n`, but sets the lanes from n on to `other`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_n_or(D d, const T* HWY_RESTRICT p, std::size_t n, T other) {
  return hn::IfThenElse(hn::FirstN(d, n), load_n(d, p, n), hn::Set(d, other));
}

/// Stores lanes [0, n) of `v` to `p`.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_n(hn::Vec<D> v, D d, T* HWY_RESTRICT p, std::size_t n) {
#if TAPER_SIMD_MASKED_MOVES
  if constexpr (sizeof(T) >= 4) {
    hn::BlendedStore(v, hn::FirstN(d, n), d, p);
    return;
  }
#endif
  HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
  hn::Store(v, d, lanes);
  for (std::size_t i = 0; i < n; ++i) p[i] = lanes[i];
}

/// As load_n and store_n, for loops where all but the last vector are whole.
HWY_INLINE hn::Vec<hn::ScalableTag<float>> load_lanes(const float* p, std::size_t n) {
  const hn::ScalableTag<float> d;
  return n == hn::Lanes(d) ? hn::LoadU(d, p) : load_n(d, p, n);
}
HWY_INLINE void store_lanes(hn::Vec<hn::ScalableTag<float>> v, float* p, std::size_t n) {
  const hn::ScalableTag<float> d;
  if (n == hn::Lanes(d))
    hn::StoreU(v, d, p);
  else
    store_n(v, d, p, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
