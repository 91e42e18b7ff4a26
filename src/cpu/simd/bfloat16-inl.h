// Vectors of bfloat16, converted from and to float as by BFloat16. Not available for HWY_SCALAR.
#if defined(TAPER_CPU_SIMD_BFLOAT16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SIMD_BFLOAT16_INL_H_
#undef TAPER_CPU_SIMD_BFLOAT16_INL_H_
#else
#define TAPER_CPU_SIMD_BFLOAT16_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
/// Returns the values of bfloat16 numbers, given as bits.
template <class D>
HWY_INLINE hn::Vec<D> bfloat16_values(D d, hn::Vec<hn::Rebind<std::uint16_t, D>> v) {
  const hn::RebindToUnsigned<D> u;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(u, v)));
}

/// Rounds floats to bfloat16, to the nearest even. The result is in the upper halves of the lanes.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> rounded_to_bfloat16(D, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> u;
  const auto bits = hn::BitCast(u, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u, 1u));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(u, 0x7fffu)), odd);
  return hn::IfThenElse(hn::RebindMask(u, hn::IsNaN(v)), hn::Set(u, 0x7fc00000u), rounded);
}

/// Returns the bits of the floats of two vectors, rounded to bfloat16.
template <class D>
HWY_INLINE hn::Vec<hn::Repartition<std::uint16_t, D>> bfloat16_bits(D d, hn::Vec<D> low,
                                                                    hn::Vec<D> high) {
  const hn::Repartition<std::uint16_t, D> u;
  return hn::ConcatOdd(u, hn::BitCast(u, rounded_to_bfloat16(d, high)),
                       hn::BitCast(u, rounded_to_bfloat16(d, low)));
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
