#include "cpu/attention/tiles.h"

#include <algorithm>
#include <limits>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/attention/tiles.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/math-inl.h"
#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {

template <class T> constexpr T kInfinity = std::numeric_limits<T>::infinity();

/// Calls f(load, store, i) for vectors of `n` elements. `load(p)` reads the lanes of vector i at
/// p + i, and 0 in the lanes beyond the last element; `store(v, p)` writes them.
template <class D, class F> HWY_INLINE void for_each_vector(D d, std::int64_t n, F f) {
  using T = hn::TFromD<D>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    f([d, i](const T* p) HWY_ATTR { return hn::LoadU(d, p + i); },
      [d, i](hn::Vec<D> v, T* p) HWY_ATTR { hn::StoreU(v, d, p + i); }, i);
  if (i == n) return;
  const auto rest = static_cast<std::size_t>(n - i);
  f([d, i, rest](const T* p) HWY_ATTR { return load_n(d, p + i, rest); },
    [d, i, rest](hn::Vec<D> v, T* p) HWY_ATTR { store_n(v, d, p + i, rest); }, i);
}

/// Replaces scores by scores * scale + mask.
template <class D, class T> HWY_INLINE void add_mask(D d, std::int64_t n, T scale,
                                                     const TileMask& mask, std::int64_t row,
                                                     T* scores) {
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale), lowest = hn::Set(d, -kInfinity<T>);
  HWY_ALIGN T copy[hn::MaxLanes(D())];
  const std::byte* const data =
      mask.data + mask.row * row * static_cast<std::int64_t>(mask.is_bool ? 1 : sizeof(T));
  const auto value = [&](std::int64_t i) {
    const std::int64_t at = i * mask.col;
    if (mask.is_bool) return data[at] == std::byte{0} ? -kInfinity<T> : T{0};
    return reinterpret_cast<const T*>(data)[at];
  };
  for_each_vector(d, n, [&](auto load, auto store, std::int64_t i) HWY_ATTR {
    const std::size_t count = std::min(lanes, static_cast<std::size_t>(n - i));
    const auto add = [&](hn::Vec<D> term)
                         HWY_ATTR { store(hn::MulAdd(load(scores), factor, term), scores); };
    if (mask.col == 1 && !mask.is_bool) return add(load(reinterpret_cast<const T*>(data)));
    if constexpr (sizeof(T) == 4)
      if (mask.col == 1 && count == lanes) {
        const hn::Rebind<std::uint8_t, D> d8;
        const hn::RebindToUnsigned<D> du;
        const auto bytes =
            hn::PromoteTo(du, hn::LoadU(d8, reinterpret_cast<const std::uint8_t*>(data) + i));
        return add(hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(bytes, hn::Zero(du))), lowest));
      }
    for (std::size_t l = 0; l < lanes; ++l)
      copy[l] = l < count ? value(i + static_cast<std::int64_t>(l)) : T{0};
    add(hn::Load(d, copy));
  });
}

/// Returns the maximum of `max` and the elements of a row times `scale`.
template <class D, class T>
HWY_INLINE T row_max(D d, std::int64_t n, T scale, const T* scores, T max) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  auto m0 = hn::Set(d, max), m1 = m0;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    m0 = hn::Max(m0, hn::Mul(hn::LoadU(d, scores + i), factor));
    m1 = hn::Max(m1, hn::Mul(hn::LoadU(d, scores + i + lanes), factor));
  }
  for (; i < n; i += lanes) {
    const auto count = static_cast<std::size_t>(std::min(lanes, n - i));
    const auto x = hn::Mul(load_n(d, scores + i, count), factor);
    m0 = hn::IfThenElse(hn::FirstN(d, count), hn::Max(m0, x), m0);
  }
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(m0, m1)));
}

template <class T> void SoftmaxTile(const ScoreTile<T>& t, const SoftmaxRows<T>& rows) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T scale = t.mask.data ? T{1} : t.scale;
  const auto factor = hn::Set(d, scale);
  HWY_ALIGN T offset[hn::MaxLanes(d)];
  // A group of rows remains in the first-level cache between the passes. Its factors are computed
  // together.
  for (std::int64_t first = 0; first < t.rows; first += lanes) {
    const std::int64_t count = std::min(lanes, t.rows - first);
    const auto n_rows = static_cast<std::size_t>(count);
    for (std::int64_t l = 0; l < count; ++l) {
      const std::int64_t r = first + l, n = t.used_columns(r);
      T* const scores = t.scores + r * t.stride;
      if (t.mask.data) add_mask(d, n, t.scale, t.mask, r, scores);
      offset[l] = row_max(d, n, scale, scores, rows.max[r]);
    }
    const auto before = load_n(d, rows.max + first, n_rows), max = load_n(d, offset, n_rows);
    // With an offset of -infinity, the difference would be NaN.
    const auto used = hn::IfThenElse(hn::Eq(max, hn::Set(d, -kInfinity<T>)), hn::Zero(d), max);
    store_n(vec_exp_nonpositive(d, hn::Sub(before, used)), d, rows.rescale + first, n_rows);
    store_n(max, d, rows.max + first, n_rows);
    hn::Store(used, d, offset);
    for (std::int64_t l = 0; l < count; ++l) {
      const std::int64_t r = first + l, n = t.used_columns(r);
      T* const scores = t.scores + r * t.stride;
      const auto m = hn::Set(d, offset[l]);
      auto s0 = hn::Zero(d), s1 = s0;
      std::int64_t i = 0;
      for (; i + 2 * lanes <= n; i += 2 * lanes) {
        const auto e0 = vec_exp_nonpositive(d, hn::MulSub(hn::LoadU(d, scores + i), factor, m));
        const auto e1 =
            vec_exp_nonpositive(d, hn::MulSub(hn::LoadU(d, scores + i + lanes), factor, m));
        s0 = hn::Add(s0, e0);
        s1 = hn::Add(s1, e1);
        hn::StoreU(e0, d, scores + i);
        hn::StoreU(e1, d, scores + i + lanes);
      }
      for (; i < n; i += lanes) {
        const auto rest = static_cast<std::size_t>(std::min(lanes, n - i));
        const auto e = vec_exp_nonpositive(d, hn::MulSub(load_n(d, scores + i, rest), factor, m));
        s0 = hn::Add(s0, hn::IfThenElseZero(hn::FirstN(d, rest), e));
        store_n(e, d, scores + i, rest);
      }
      std::fill(scores + n, scores + t.columns, T{0});
      rows.sum[r] = rows.sum[r] * rows.rescale[r] + hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
    }
  }
}

template <class T>
void FinishSoftmax(std::int64_t count, T inverse_of_zero, const SoftmaxRows<T>& rows) {
  const hn::ScalableTag<T> d;
  for_each_vector(d, count, [&](auto load, auto store, std::int64_t) HWY_ATTR {
    const auto sum = load(rows.sum);
    const auto is_zero = hn::Eq(sum, hn::Zero(d));
    store(hn::IfThenElse(is_zero, hn::Set(d, inverse_of_zero), hn::Div(hn::Set(d, T{1}), sum)),
          rows.sum);
    store(hn::IfThenZeroElse(is_zero, vec_log(d, sum)), rows.rescale);
  });
}

template <class T> void ScaleRows(std::int64_t rows, std::int64_t columns, const T* factors,
                                  const T* from, std::int64_t from_row, T* to,
                                  std::int64_t to_row) {
  const hn::ScalableTag<T> d;
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* const a = from + r * from_row;
    T* const b = to + r * to_row;
    if (factors[r] == 1 && a == b) continue;
    const auto factor = hn::Set(d, factors[r]);
    for_each_vector(d, columns, [&](auto load, auto store, std::int64_t) HWY_ATTR {
      store(hn::Mul(load(a), factor), b);
    });
  }
}

template <class T> void DotRows(std::int64_t rows, std::int64_t columns, const T* a,
                                std::int64_t a_row, const T* b, std::int64_t b_row, T* out) {
  const hn::ScalableTag<T> d;
  for (std::int64_t r = 0; r < rows; ++r) {
    auto sum = hn::Zero(d);
    for_each_vector(d, columns, [&](auto load, auto, std::int64_t) HWY_ATTR {
      sum = hn::MulAdd(load(a + r * a_row), load(b + r * b_row), sum);
    });
    out[r] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

template <class T> void Gradient(const ScoreTile<T>& t, const GradientTile<T>& g) {
  const hn::ScalableTag<T> d;
  // e^x is infinite beyond this limit, where vec_exp_nonpositive is not defined.
  const auto largest = hn::Set(d, sizeof(T) == 4 ? static_cast<T>(88) : static_cast<T>(709));
  const auto scale = hn::Set(d, t.scale);
  const auto factor = t.mask.data ? hn::Set(d, T{1}) : scale;
  for (std::int64_t r = 0; r < t.rows; ++r) {
    const std::int64_t n = t.used_columns(r);
    T *const scores = t.scores + r * t.stride, *const grad = g.grad + r * t.stride;
    T* const grad_mask = g.grad_mask ? g.grad_mask + r * g.grad_mask_row : nullptr;
    if (t.mask.data) add_mask(d, n, t.scale, t.mask, r, scores);
    const auto max = hn::Set(d, g.maximum[r]), log_sum = hn::Set(d, g.log_sum[r]),
               delta = hn::Set(d, g.delta[r]);
    for_each_vector(d, n, [&](auto load, auto store, std::int64_t) HWY_ATTR {
      const auto x = hn::Sub(hn::MulSub(load(scores), factor, max), log_sum);
      const auto limited = hn::IfThenElse(hn::Gt(x, largest), largest, x);
      const auto p = vec_exp_nonpositive(d, limited);
      const auto slope = hn::Mul(p, hn::Sub(load(grad), delta));
      store(p, scores);
      if (grad_mask) store(slope, grad_mask);
      store(hn::Mul(slope, scale), grad);
    });
    std::fill(scores + n, scores + t.columns, T{0});
    std::fill(grad + n, grad + t.columns, T{0});
  }
}

#define TAPER_FOR_TYPE(Suffix, T)                                                                  \
  void SoftmaxTile##Suffix(const ScoreTile<T>& t, const SoftmaxRows<T>& rows) {                    \
    SoftmaxTile(t, rows);                                                                          \
  }                                                                                                \
  void FinishSoftmax##Suffix(std::int64_t count, T inverse_of_zero, const SoftmaxRows<T>& rows) {  \
    FinishSoftmax(count, inverse_of_zero, rows);                                                   \
  }                                                                                                \
  void ScaleRows##Suffix(std::int64_t rows, std::int64_t columns, const T* factors, const T* from, \
                         std::int64_t from_row, T* to, std::int64_t to_row) {                      \
    ScaleRows(rows, columns, factors, from, from_row, to, to_row);                                 \
  }                                                                                                \
  void DotRows##Suffix(std::int64_t rows, std::int64_t columns, const T* a, std::int64_t a_row,    \
                       const T* b, std::int64_t b_row, T* out) {                                   \
    DotRows(rows, columns, a, a_row, b, b_row, out);                                               \
  }                                                                                                \
  void Gradient##Suffix(const ScoreTile<T>& t, const GradientTile<T>& g) { Gradient(t, g); }
TAPER_FOR_TYPE(F32, float)
TAPER_FOR_TYPE(F64, double)
#undef TAPER_FOR_TYPE

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

#define TAPER_FOR_TYPE(Suffix, T)                                                                \
  HWY_EXPORT(SoftmaxTile##Suffix);                                                               \
  HWY_EXPORT(FinishSoftmax##Suffix);                                                             \
  HWY_EXPORT(ScaleRows##Suffix);                                                                 \
  HWY_EXPORT(DotRows##Suffix);                                                                   \
  HWY_EXPORT(Gradient##Suffix);                                                                  \
  void softmax_tile(const ScoreTile<T>& t, const SoftmaxRows<T>& rows) {                         \
    HWY_DYNAMIC_DISPATCH(SoftmaxTile##Suffix)(t, rows);                                          \
  }                                                                                              \
  void finish_softmax(std::int64_t count, T inverse_of_zero, const SoftmaxRows<T>& rows) {       \
    HWY_DYNAMIC_DISPATCH(FinishSoftmax##Suffix)(count, inverse_of_zero, rows);                   \
  }                                                                                              \
  void scale_rows(std::int64_t rows, std::int64_t columns, const T* factors, const T* from,      \
                  std::int64_t from_row, T* to, std::int64_t to_row) {                           \
    HWY_DYNAMIC_DISPATCH(ScaleRows##Suffix)(rows, columns, factors, from, from_row, to, to_row); \
  }                                                                                              \
  void dot_rows(std::int64_t rows, std::int64_t columns, const T* a, std::int64_t a_row,         \
                const T* b, std::int64_t b_row, T* out) {                                        \
    HWY_DYNAMIC_DISPATCH(DotRows##Suffix)(rows, columns, a, a_row, b, b_row, out);               \
  }                                                                                              \
  void gradient_tile(const ScoreTile<T>& t, const GradientTile<T>& g) {                          \
    HWY_DYNAMIC_DISPATCH(Gradient##Suffix)(t, g);                                                \
  }
TAPER_FOR_TYPE(F32, float)
TAPER_FOR_TYPE(F64, double)
#undef TAPER_FOR_TYPE

}  // namespace taper::cpu
#endif
