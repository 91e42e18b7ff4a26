#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cpu/simd/targets.h"
#include "ops/distance/row_distances.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/distance/pairwise_distances.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::distance {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = taper::cpu::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

/// Calls f(column, load), where load(p) loads the vector at column `column` of row p.
template <class F> HWY_INLINE void for_each_column_vector(std::int64_t columns, F&& f) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t c = 0;
  for (; c + lanes <= columns; c += lanes)
    f(c, hn::Lanes(d), [&](const float* p) HWY_ATTR { return hn::LoadU(d, p + c); });
  if (c < columns) {
    const auto n = static_cast<std::size_t>(columns - c);
    f(c, n, [&](const float* p) HWY_ATTR { return simd::load_n(d, p + c, n); });
  }
}

template <Order order> float distance_of(const float* a, const float* b, std::int64_t columns) {
  const D d;
  V total = hn::Zero(d);
  for_each_column_vector(columns, [&](std::int64_t, std::size_t, auto&& load) HWY_ATTR {
    const V difference = hn::Sub(load(a), load(b)), size = hn::Abs(difference);
    if constexpr (order == Order::sum) total = hn::Add(total, size);
    if constexpr (order == Order::euclidean) total = hn::MulAdd(difference, difference, total);
    if constexpr (order == Order::maximum)
      total = hn::IfThenElse(hn::Or(hn::Gt(size, total), hn::IsNaN(size)), size, total);
  });
  if constexpr (order == Order::maximum)
    return hn::AllFalse(d, hn::IsNaN(total)) ? hn::GetLane(hn::MaxOfLanes(d, total))
                                             : std::numeric_limits<float>::quiet_NaN();
  const float sum = hn::GetLane(hn::SumOfLanes(d, total));
  return order == Order::euclidean ? std::sqrt(sum) : sum;
}

template <Order order> void measure_rows(const float* a, const float* b, std::int64_t rows,
                                         std::int64_t columns, float* out) {
  for (std::int64_t r = 0; r < rows; ++r) out[r] = distance_of<order>(a, b + r * columns, columns);
}

template <Order order> void differentiate_rows(const float* a, const float* b, std::int64_t rows,
                                               std::int64_t columns, const float* g,
                                               const float* distance, float* out) {
  const D d;
  for_each_column_vector(columns, [&](std::int64_t c, std::size_t n, auto&& load) HWY_ATTR {
    const V x = load(a), zero = hn::Zero(d);
    V total = zero;
    for (std::int64_t r = 0; r < rows; ++r) {
      const V difference = hn::Sub(x, load(b + r * columns));
      if constexpr (order == Order::euclidean) {
        // The gradient of a distance of 0 is 0.
        const float factor = distance[r] == 0 ? 0.0f : g[r] / distance[r];
        total = hn::MulAdd(difference, hn::Set(d, factor), total);
      } else {
        const V plus = hn::Set(d, g[r]), minus = hn::Set(d, -g[r]);
        V term = hn::IfThenElse(hn::Gt(difference, zero), plus,
                                hn::IfThenElseZero(hn::Lt(difference, zero), minus));
        if constexpr (order == Order::maximum)
          term = hn::IfThenElseZero(hn::Eq(hn::Abs(difference), hn::Set(d, distance[r])), term);
        total = hn::Add(total, term);
      }
    }
    if (n == hn::Lanes(d))
      hn::StoreU(total, d, out + c);
    else
      simd::store_n(total, d, out + c, n);
  });
}

}  // namespace

void measure_all(Order order, const float* a, const float* b, std::int64_t rows,
                 std::int64_t columns, float* out) {
  (order == Order::sum         ? measure_rows<Order::sum>
   : order == Order::euclidean ? measure_rows<Order::euclidean>
                               : measure_rows<Order::maximum>)(a, b, rows, columns, out);
}
void differentiate_all(Order order, const float* a, const float* b, std::int64_t rows,
                       std::int64_t columns, const float* g, const float* distance, float* out) {
  (order == Order::sum ? differentiate_rows<Order::sum>
   : order == Order::euclidean
       ? differentiate_rows<Order::euclidean>
       : differentiate_rows<Order::maximum>)(a, b, rows, columns, g, distance, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::distance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::distance {
HWY_EXPORT(measure_all);
HWY_EXPORT(differentiate_all);

void measure(Order order, const float* a, const float* b, std::int64_t rows, std::int64_t columns,
             float* out) {
  HWY_DYNAMIC_DISPATCH(measure_all)(order, a, b, rows, columns, out);
}
void differentiate(Order order, const float* a, const float* b, std::int64_t rows,
                   std::int64_t columns, const float* g, const float* distance, float* out) {
  HWY_DYNAMIC_DISPATCH(differentiate_all)(order, a, b, rows, columns, g, distance, out);
}

}  // namespace taper::distance
#endif
