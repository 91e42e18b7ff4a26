// Products with few rows of C and a transposed B: dot products along k, which read B once without
// packing.
#if defined(TAPER_CPU_GEMM_DOT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_GEMM_DOT_INL_H_
#undef TAPER_CPU_GEMM_DOT_INL_H_
#else
#define TAPER_CPU_GEMM_DOT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "cpu/gemm/gemm.h"
#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kDotRows = 3, kDotColumns = 4;

/// Computes MR rows by NC columns of C. A and B must be contiguous along k.
template <int MR, int NC, class D, class T = hn::TFromD<D>>
HWY_INLINE void dot_block(D d, const Gemm<T>& g, std::int64_t j) {
  using V = hn::Vec<D>;
  const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* const b = g.b + j * g.b_col;
  V s[MR][NC];
  HWY_UNROLL(8)
  for (int r = 0; r < MR; ++r) {
    HWY_UNROLL(8)
    for (int c = 0; c < NC; ++c) s[r][c] = hn::Zero(d);
  }
  const auto step = [&](auto load, std::int64_t k) HWY_ATTR {
    V bv[NC];
    HWY_UNROLL(8)
    for (int c = 0; c < NC; ++c) bv[c] = load(b + c * g.b_col + k);
    HWY_UNROLL(8)
    for (int r = 0; r < MR; ++r) {
      const V av = load(g.a + r * g.a_row + k);
      HWY_UNROLL(8)
      for (int c = 0; c < NC; ++c) s[r][c] = hn::MulAdd(av, bv[c], s[r][c]);
    }
  };
  std::int64_t k = 0;
  for (; k + lanes <= g.k; k += lanes)
    step([&](const T* p) HWY_ATTR { return hn::LoadU(d, p); }, k);
  if (k < g.k) {
    const std::size_t rest = static_cast<std::size_t>(g.k - k);
    step([&](const T* p) HWY_ATTR { return load_n(d, p, rest); }, k);
  }
  for (int r = 0; r < MR; ++r)
    for (int c = 0; c < NC; ++c) {
      T* const to = g.c + r * g.c_row + j + c;
      T y = hn::GetLane(hn::SumOfLanes(d, s[r][c]));
      if (g.bias != nullptr) y += g.bias[j + c];
      if (g.accumulate) y += *to;
      *to = g.relu && y < T{0} ? T{0} : y;
    }
}

template <int MR, class D, class T = hn::TFromD<D>>
HWY_INLINE void dot_rows(D d, const Gemm<T>& g, std::int64_t begin, std::int64_t end) {
  std::int64_t j = begin;
  for (; j + kDotColumns <= end; j += kDotColumns) dot_block<MR, kDotColumns>(d, g, j);
  for (; j < end; ++j) dot_block<MR, 1>(d, g, j);
}

/// Computes columns [begin, end) of a product with 1 to kDotRows rows.
template <class D, class T = hn::TFromD<D>>
HWY_NOINLINE void dot_columns(D d, const Gemm<T>& g, std::int64_t begin, std::int64_t end) {
  if (g.m == 1)
    dot_rows<1>(d, g, begin, end);
  else if (g.m == 2)
    dot_rows<2>(d, g, begin, end);
  else
    dot_rows<3>(d, g, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
