// Vector loops with tails over f32, for normalizations.
#if defined(TAPER_CPU_NORM_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_NORM_VECTORS_INL_H_
#undef TAPER_CPU_NORM_VECTORS_INL_H_
#else
#define TAPER_CPU_NORM_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr std::int64_t kMinParallelWork =
    32768;                                   // minimum number of elements for parallel execution
constexpr std::int64_t kBlockFloats = 8192;  // a block fits in the first-level cache

/// Calls f(first index, lanes) for the vectors of n elements. The last vector may have fewer lanes.
template <class F> HWY_INLINE void for_each_vector(std::int64_t n, F&& f) {
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(i, hn::Lanes(D()));
  if (i < n) f(i, static_cast<std::size_t>(n - i));
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
