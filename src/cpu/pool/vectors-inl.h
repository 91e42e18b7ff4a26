// Vectors of pooling kernels: loads of every second element, partial loads and stores, indices.
#include "cpu/simd/targets.h"

#include <hwy/highway.h>

#include <cstdint>

#include "cpu/simd/tail-inl.h"

#if defined(TAPER_CPU_POOL_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_POOL_VECTORS_INL_H_
#undef TAPER_CPU_POOL_VECTORS_INL_H_
#else
#define TAPER_CPU_POOL_VECTORS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DI = hn::ScalableTag<std::int32_t>;

/// Minimum number of elements read for parallel execution.
constexpr std::int64_t kMinPoolWork = 32768;

HWY_INLINE void store_indices(hn::Vec<DI> v, std::uint8_t* p, std::size_t n) {
  const hn::Rebind<std::uint8_t, DI> d;
  const auto bytes = hn::DemoteTo(d, v);
  if (n == hn::Lanes(DI()))
    hn::StoreU(bytes, d, p);
  else
    store_n(bytes, d, p, n);
}
HWY_INLINE void store_indices(hn::Vec<DI> v, std::int64_t* p, std::size_t n) {
  const DI d;
#if HWY_TARGET != HWY_SCALAR
  const hn::Repartition<std::int64_t, DI> dw;
  if (n == hn::Lanes(d)) {
    const hn::Half<DI> half;
    hn::StoreU(hn::PromoteTo(dw, hn::LowerHalf(half, v)), dw, p);
    hn::StoreU(hn::PromoteTo(dw, hn::UpperHalf(half, v)), dw, p + hn::Lanes(dw));
    return;
  }
#endif
  HWY_ALIGN std::int32_t lanes[hn::MaxLanes(DI())];
  hn::Store(v, d, lanes);
  for (std::size_t i = 0; i < n; ++i) p[i] = lanes[i];
}

/// Loads p[0], p[S], p[2 S], ... Reads S vectors.
template <int S> HWY_INLINE hn::Vec<DF> load_every(const float* p) {
  static_assert(S == 1 || S == 2);
  const DF d;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (S == 2) return hn::ConcatEven(d, hn::LoadU(d, p + hn::Lanes(d)), hn::LoadU(d, p));
#endif
  return hn::LoadU(d, p);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
