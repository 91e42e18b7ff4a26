#include "ops/embedding/bag_rows.h"

#include <algorithm>
#include <cstddef>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/embedding/bag_rows.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::embedding {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = taper::cpu::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

/// Sums of up to N vectors of columns, of which the last has `rest` lanes.
template <int N> HWY_INLINE void sum_columns(const SelectedRows& s, std::int64_t padding,
                                             float divisor, std::int64_t first, std::size_t rest,
                                             float* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V sums[N];
  for (int v = 0; v < N; ++v) sums[v] = hn::Zero(d);
  for (std::int64_t n = 0; n < s.count; ++n) {
    if (s.rows[n] == padding) continue;
    const float* const row = s.matrix + s.rows[n] * s.columns + first;
    const V factor = hn::Set(d, s.factors ? s.factors[n] : 1.0f);
    for (int v = 0; v < N; ++v) {
      const float* const from = row + static_cast<std::size_t>(v) * lanes;
      const V x = v == N - 1 && rest < lanes ? simd::load_n(d, from, rest) : hn::LoadU(d, from);
      sums[v] = hn::Add(sums[v], hn::Mul(x, factor));
    }
  }
  for (int v = 0; v < N; ++v) {
    float* const to =
        out + first + static_cast<std::ptrdiff_t>(v) * static_cast<std::ptrdiff_t>(lanes);
    const V sum = divisor == 1 ? sums[v] : hn::Div(sums[v], hn::Set(d, divisor));
    if (v == N - 1 && rest < lanes)
      simd::store_n(sum, d, to, rest);
    else
      hn::StoreU(sum, d, to);
  }
}

}  // namespace

void sum_all(const SelectedRows& s, std::int64_t padding, bool mean, float* out) {
  constexpr int kVectors = 8;
  const std::size_t lanes = hn::Lanes(D());
  const auto used = s.count - std::count(s.rows, s.rows + s.count, padding);
  const float divisor = mean && used > 1 ? static_cast<float>(used) : 1.0f;
  const auto step = static_cast<std::int64_t>(lanes), block = kVectors * step;
  std::int64_t c = 0;
  for (; c + block <= s.columns; c += block)
    sum_columns<kVectors>(s, padding, divisor, c, lanes, out);
  for (; c < s.columns; c += step)
    sum_columns<1>(s, padding, divisor, c, std::min(lanes, static_cast<std::size_t>(s.columns - c)),
                   out);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::embedding
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::embedding {
HWY_EXPORT(sum_all);

void sum_rows(const SelectedRows& selected, std::int64_t padding, bool mean, float* out) {
  HWY_DYNAMIC_DISPATCH(sum_all)(selected, padding, mean, out);
}

}  // namespace taper::embedding
#endif
