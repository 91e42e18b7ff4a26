#include "ops/reduce/arg_min_max.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/simd/targets.h"
#include "cpu/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/arg_min_max.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::reduce {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kPart = 1 << 15;  ///< elements of a part of a long slice

template <class T> bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}
template <bool Largest, class T> bool replaces(T x, T best) {
  if (is_nan(x)) return !is_nan(best);
  return Largest ? x > best : x < best;
}

/// Extrema of the lanes of a vector and their positions, as numbers of the same size.
template <bool Largest, class T> struct LaneExtrema {
  using D = hn::ScalableTag<T>;
  using DI = hn::RebindToSigned<D>;
  using I = hn::TFromD<DI>;
  hn::Vec<D> best;
  hn::Vec<DI> at;

  HWY_INLINE void add(hn::Vec<D> x, hn::Vec<DI> position) {
    auto better = Largest ? hn::Gt(x, best) : hn::Lt(x, best);
    if constexpr (std::is_floating_point_v<T>)
      better = hn::Or(better, hn::AndNot(hn::IsNaN(best), hn::IsNaN(x)));
    best = hn::IfThenElse(better, x, best);
    at = hn::IfThenElse(hn::RebindMask(DI(), better), position, at);
  }
};

/// Extremum of `n` contiguous elements, at most 2^31, and its position.
template <bool Largest, class T>
void row_extreme(const T* x, std::int64_t n, T& best, std::int64_t& at) {
  using Lanes = LaneExtrema<Largest, T>;
  using I = typename Lanes::I;
  const typename Lanes::D d;
  const typename Lanes::DI di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  best = x[0], at = 0;
  std::int64_t i = 0;
  if (n >= 4 * lanes) {
    Lanes a[4];
    auto position = hn::Iota(di, I{0});
    const auto step = hn::Set(di, static_cast<I>(lanes));
    for (auto& lane : a) {
      lane = {hn::LoadU(d, x + i), position};
      position = hn::Add(position, step);
      i += lanes;
    }
    for (; i + 4 * lanes <= n; i += 4 * lanes)
      for (int k = 0; k < 4; ++k) {
        a[k].add(hn::LoadU(d, x + i + k * lanes), position);
        position = hn::Add(position, step);
      }
    HWY_ALIGN T values[hn::MaxLanes(d)];
    HWY_ALIGN I positions[hn::MaxLanes(d)];
    for (auto& lane : a) {
      hn::Store(lane.best, d, values);
      hn::Store(lane.at, di, positions);
      for (std::size_t l = 0; l < static_cast<std::size_t>(lanes); ++l) {
        const bool equal = values[l] == best || (is_nan(values[l]) && is_nan(best));
        if (replaces<Largest>(values[l], best) || (equal && positions[l] < at))
          best = values[l], at = positions[l];
      }
    }
  }
  for (; i < n; ++i)
    if (replaces<Largest>(x[i], best)) best = x[i], at = i;
}

/// Extrema over n rows that are `inner` apart of up to one vector of adjacent columns.
template <bool Largest, class T> void column_extremes(const T* x, std::int64_t n,
                                                      std::int64_t inner, std::size_t count,
                                                      T* values, std::int64_t* indices) {
  using Lanes = LaneExtrema<Largest, T>;
  using I = typename Lanes::I;
  const typename Lanes::D d;
  const typename Lanes::DI di;
  const bool full = count == hn::Lanes(d);
  const auto load = [&](const T* p) {
    return full ? hn::LoadU(d, p) : cpu::HWY_NAMESPACE::load_n(d, p, count);
  };
  Lanes a{load(x), hn::Zero(di)};
  for (std::int64_t i = 1; i < n; ++i) a.add(load(x + i * inner), hn::Set(di, static_cast<I>(i)));
  HWY_ALIGN T best[hn::MaxLanes(d)];
  HWY_ALIGN I at[hn::MaxLanes(d)];
  hn::Store(a.best, d, best);
  hn::Store(a.at, di, at);
  for (std::size_t l = 0; l < count; ++l) {
    if (values) values[l] = best[l];
    indices[l] = at[l];
  }
}

template <bool Largest, class T>
void long_row(const T* x, std::int64_t n, T* values, std::int64_t* indices) {
  const std::int64_t parts = (n + kPart - 1) / kPart;
  std::vector<T> best(static_cast<std::size_t>(parts));
  std::vector<std::int64_t> at(static_cast<std::size_t>(parts));
  cpu::parallel_for(0, parts, 1, [&](std::int64_t b, std::int64_t e) {
    for (std::int64_t p = b; p < e; ++p)
      row_extreme<Largest>(x + p * kPart, std::min(kPart, n - p * kPart),
                           best[static_cast<std::size_t>(p)], at[static_cast<std::size_t>(p)]);
  });
  std::size_t chosen = 0;
  for (std::size_t p = 1; p < best.size(); ++p)
    if (replaces<Largest>(best[p], best[chosen])) chosen = p;
  if (values) *values = best[chosen];
  *indices = static_cast<std::int64_t>(chosen) * kPart + at[chosen];
}

template <bool Largest, class T>
void extremes(const ArgShape& s, const T* x, T* values, std::int64_t* indices) {
  if (s.inner == 1 && s.n >= 2 * kPart) {
    for (std::int64_t r = 0; r < s.outer; ++r)
      long_row<Largest>(x + r * s.n, s.n, values ? values + r : nullptr, indices + r);
    return;
  }
  const std::int64_t grain = std::max<std::int64_t>(1, kPart / s.n);
  if (s.inner == 1) {
    cpu::parallel_for(0, s.outer, grain, [&](std::int64_t b, std::int64_t e) {
      for (std::int64_t r = b; r < e; ++r) {
        T best;
        row_extreme<Largest>(x + r * s.n, s.n, best, indices[r]);
        if (values) values[r] = best;
      }
    });
    return;
  }
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const std::int64_t blocks = (s.inner + lanes - 1) / lanes;
  cpu::parallel_for(0, s.outer * blocks, std::max<std::int64_t>(1, grain / lanes),
                    [&](std::int64_t b, std::int64_t e) {
                      for (std::int64_t k = b; k < e; ++k) {
                        const std::int64_t row = k / blocks, column = k % blocks * lanes;
                        const std::int64_t to = row * s.inner + column;
                        column_extremes<Largest>(
                            x + row * s.n * s.inner + column, s.n, s.inner,
                            static_cast<std::size_t>(std::min(lanes, s.inner - column)),
                            values ? values + to : nullptr, indices + to);
                      }
                    });
}

template <class T>
void Extremes(const ArgShape& s, bool largest, const T* x, T* values, std::int64_t* indices) {
  if (largest)
    extremes<true>(s, x, values, indices);
  else
    extremes<false>(s, x, values, indices);
}
void ExtremesF32(const ArgShape& s, bool largest, const float* x, float* v, std::int64_t* i) {
  Extremes(s, largest, x, v, i);
}
void ExtremesF64(const ArgShape& s, bool largest, const double* x, double* v, std::int64_t* i) {
  Extremes(s, largest, x, v, i);
}
void ExtremesI64(const ArgShape& s, bool largest, const std::int64_t* x, std::int64_t* v,
                 std::int64_t* i) {
  Extremes(s, largest, x, v, i);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::reduce {

HWY_EXPORT(ExtremesF32);
HWY_EXPORT(ExtremesF64);
HWY_EXPORT(ExtremesI64);

template <> void arg_min_max(const ArgShape& s, bool largest, const float* x, float* values,
                             std::int64_t* indices) {
  HWY_DYNAMIC_DISPATCH(ExtremesF32)(s, largest, x, values, indices);
}
template <> void arg_min_max(const ArgShape& s, bool largest, const double* x, double* values,
                             std::int64_t* indices) {
  HWY_DYNAMIC_DISPATCH(ExtremesF64)(s, largest, x, values, indices);
}
template <> void arg_min_max(const ArgShape& s, bool largest, const std::int64_t* x,
                             std::int64_t* values, std::int64_t* indices) {
  HWY_DYNAMIC_DISPATCH(ExtremesI64)(s, largest, x, values, indices);
}

}  // namespace taper::reduce
#endif
