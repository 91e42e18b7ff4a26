#include "ops/reduce/scan_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/scan_rows.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::reduce {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

struct Plus {
  static constexpr double kIdentity = 0;
  static double apply(double a, double b) { return a + b; }
  template <class V> static HWY_INLINE V combine(V a, V b) { return hn::Add(a, b); }
};
struct Times {
  static constexpr double kIdentity = 1;
  static double apply(double a, double b) { return a * b; }
  template <class V> static HWY_INLINE V combine(V a, V b) { return hn::Mul(a, b); }
};

#if HWY_TARGET != HWY_SCALAR
/// Scan of the lanes of vectors.
template <class Op> class LaneScan {
 public:
  using D = hn::ScalableTag<double>;
  using V = hn::Vec<D>;

  // Explicit, because an implicit constructor is not compiled for the instruction set.
  HWY_INLINE LaneScan()
      : by_one_(shifted_indices(1)),
        by_two_(shifted_indices(2)),
        by_four_(shifted_indices(4)),
        last_(indices_of_last()) {}

  /// Replaces each lane by the combination of the lanes up to it.
  HWY_INLINE V scan(V v) const {
    [[maybe_unused]] const D d;
    v = Op::combine(v, shifted(v, 1, by_one_));
    if constexpr (hn::MaxLanes(D()) > 2) v = Op::combine(v, shifted(v, 2, by_two_));
    if constexpr (hn::MaxLanes(D()) > 4) v = Op::combine(v, shifted(v, 4, by_four_));
    return v;
  }
  /// Returns a vector whose lanes are the last lane of v.
  HWY_INLINE V last(V v) const { return hn::TableLookupLanes(v, last_); }

 private:
  using Table = decltype(hn::SetTableIndices(D(), static_cast<const std::int64_t*>(nullptr)));

  static HWY_INLINE Table shifted_indices(std::int64_t shift) {
    HWY_ALIGN std::int64_t lanes[hn::MaxLanes(D())];
    for (std::size_t i = 0; i < hn::Lanes(D()); ++i)
      lanes[i] = std::max<std::int64_t>(0, static_cast<std::int64_t>(i) - shift);
    return hn::SetTableIndices(D(), lanes);
  }
  static HWY_INLINE Table indices_of_last() {
    HWY_ALIGN std::int64_t lanes[hn::MaxLanes(D())];
    std::fill_n(lanes, hn::Lanes(D()), static_cast<std::int64_t>(hn::Lanes(D())) - 1);
    return hn::SetTableIndices(D(), lanes);
  }
  static HWY_INLINE V shifted(V v, std::size_t by, Table table) {
    const D d;
    return hn::IfThenElse(hn::FirstN(d, by), hn::Set(d, Op::kIdentity),
                          hn::TableLookupLanes(v, table));
  }

  Table by_one_, by_two_, by_four_, last_;
};
#endif

template <class Op> double ScanRow(const float* x, float* y, std::int64_t n, double carry) {
  double total = Op::kIdentity;
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LaneScan<Op> lane_scan;
  auto carries = hn::Set(d, carry), totals = hn::Set(d, total);
  for (; i + lanes <= n; i += lanes) {
    const auto scanned = lane_scan.scan(hn::PromoteTo(d, hn::LoadU(df, x + i)));
    const auto all = lane_scan.last(scanned);
    if (y) hn::StoreU(hn::DemoteTo(df, Op::combine(carries, scanned)), df, y + i);
    carries = Op::combine(carries, all);
    totals = Op::combine(totals, all);
  }
  carry = hn::GetLane(carries);
  total = hn::GetLane(totals);
#endif
  for (; i < n; ++i) {
    const auto a = static_cast<double>(x[i]);
    carry = Op::apply(carry, a);
    total = Op::apply(total, a);
    if (y) y[i] = static_cast<float>(carry);
  }
  return total;
}

double CumsumRow(const float* x, float* y, std::int64_t n, double carry) {
  return ScanRow<Plus>(x, y, n, carry);
}
void CumprodRow(const float* x, float* y, std::int64_t n) { ScanRow<Times>(x, y, n, 1); }

#if HWY_TARGET != HWY_SCALAR
/// Scans n elements given the logarithm of the previous sum, which it replaces. All terms are
/// relative to the largest element. Returns false if they would underflow or cancel, or if there
/// are elements without a finite exponential.
HWY_INLINE bool scan_exponentials(const float* x, float* y, std::int64_t n, double& log_sum) {
  constexpr double kMaxRange = 30;
  float largest = x[0];
  int not_finite = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    largest = x[i] > largest ? x[i] : largest;
    not_finite |= x[i] <= std::numeric_limits<float>::max() ? 0 : 1;
  }
  const double top = std::max(static_cast<double>(largest), log_sum);
  const double first = std::max(static_cast<double>(x[0]), log_sum);
  if (not_finite != 0 || !(top - first <= kMaxRange)) return false;
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LaneScan<Plus> lane_scan;
  const auto tops = hn::Set(d, top);
  double sum = std::exp(log_sum - top);
  auto sums = hn::Set(d, sum);
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto term = cpu::HWY_NAMESPACE::vec_exp_nonpositive(
        d, hn::Sub(hn::PromoteTo(d, hn::LoadU(df, x + i)), tops));
    const auto scanned = lane_scan.scan(term);
    const auto result = hn::Add(tops, cpu::HWY_NAMESPACE::vec_log(d, hn::Add(sums, scanned)));
    hn::StoreU(hn::DemoteTo(df, result), df, y + i);
    sums = hn::Add(sums, lane_scan.last(scanned));
  }
  sum = hn::GetLane(sums);
  for (; i < n; ++i) {
    sum += std::exp(static_cast<double>(x[i]) - top);
    y[i] = static_cast<float>(top + std::log(sum));
  }
  log_sum = top + std::log(sum);
  return true;
}
#endif

void LogcumsumexpRow(const float* x, float* y, std::int64_t n) {
  constexpr std::int64_t kBlock = 256;
  double log_sum = -std::numeric_limits<double>::infinity();
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t size = std::min(kBlock, n - begin);
#if HWY_TARGET != HWY_SCALAR
    if (scan_exponentials(x + begin, y + begin, size, log_sum)) continue;
#endif
    for (std::int64_t i = begin; i < begin + size; ++i) {
      log_sum = log_add_exp(static_cast<double>(x[i]), log_sum);
      y[i] = static_cast<float>(log_sum);
    }
  }
  if (n > 0) y[0] = x[0];  // relative to a larger element, its digits may be lost
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::reduce
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::reduce {

HWY_EXPORT(CumsumRow);
HWY_EXPORT(CumprodRow);
HWY_EXPORT(LogcumsumexpRow);

double cumsum_row(const float* x, float* y, std::int64_t n, double carry) {
  return HWY_DYNAMIC_DISPATCH(CumsumRow)(x, y, n, carry);
}
void cumprod_row(const float* x, float* y, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(CumprodRow)(x, y, n);
}
void logcumsumexp_row(const float* x, float* y, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(LogcumsumexpRow)(x, y, n);
}

double log_add_exp(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return low == high && std::isinf(low) ? low : high + std::log1p(std::exp(low - high));
}

}  // namespace taper::reduce
#endif
