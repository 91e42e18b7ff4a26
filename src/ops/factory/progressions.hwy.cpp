#include "ops/factory/progressions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/factory/progressions.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/sin-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::factory {
namespace HWY_NAMESPACE {
namespace {

// The compiler vectorizes the loops over int for each instruction set. Sums of integers below 2^53
// are exact in double.
constexpr std::int64_t kRange = 1 << 20;

void ArangeF32(float* to, std::int64_t begin, std::int64_t end, double start, double step) {
  for (std::int64_t i = begin; i < end; i += kRange) {
    const int n = static_cast<int>(std::min(kRange, end - i));
    const auto first = static_cast<double>(i);
    float* const out = to + i;
    for (int j = 0; j < n; ++j) out[j] = static_cast<float>(start + step * (first + j));
  }
}

void LinspaceF32(float* to, std::int64_t begin, std::int64_t end, std::int64_t steps, float first,
                 float last, float step) {
  const auto middle = static_cast<int>(std::clamp(steps / 2, begin, end)),
             from = static_cast<int>(begin), until = static_cast<int>(end),
             top = static_cast<int>(steps - 1);
  for (int i = from; i < middle; ++i) to[i] = __builtin_fmaf(step, static_cast<float>(i), first);
  for (int i = middle; i < until; ++i)
    to[i] = __builtin_fmaf(-step, static_cast<float>(top - i), last);
}

/// Adds one term to the elements [begin, end).
void add_cosines(float* to, std::int64_t begin, std::int64_t end, double last, double k,
                 float factor) {
  std::int64_t i = begin;
#if TAPER_SIMD_SIN
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (2 * std::numbers::pi * k < 0x1p30)  // the range of SinOfDouble
    for (; i + lanes <= end; i += lanes) {
      const auto n = hn::Add(hn::Iota(d, 0), hn::Set(d, static_cast<double>(i)));
      const auto angle =
          hn::Div(hn::Mul(hn::Set(d, k * 2 * std::numbers::pi), n), hn::Set(d, last));
      const auto cosine = hn::DemoteTo(df, cpu::HWY_NAMESPACE::SinOfDouble<1>::apply(d, angle));
      const auto sum = hn::Add(hn::LoadU(df, to + i), hn::Mul(hn::Set(df, factor), cosine));
      hn::StoreU(sum, df, to + i);
    }
#endif
  for (; i < end; ++i) {
    const double angle = k * 2 * std::numbers::pi * static_cast<double>(i) / last;
    to[i] += factor * static_cast<float>(std::cos(angle));
  }
}

void CosineSumsF32(float* to, std::int64_t begin, std::int64_t end, double last,
                   std::span<const double> a, bool from_last) {
  std::fill(to + begin, to + end, 0.0f);
  for (std::size_t t = 0; t < a.size(); ++t) {
    const std::size_t k = from_last ? a.size() - 1 - t : t;
    const auto factor = static_cast<float>(k % 2 == 0 ? a[k] : -a[k]);
    if (k == 0)  // the cosine is 1
      for (std::int64_t i = begin; i < end; ++i) to[i] += factor;
    else
      add_cosines(to, begin, end, last, static_cast<double>(k), factor);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::factory
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::factory {

HWY_EXPORT(ArangeF32);
HWY_EXPORT(LinspaceF32);
HWY_EXPORT(CosineSumsF32);

void arange_f32(float* to, std::int64_t begin, std::int64_t end, double start, double step) {
  HWY_DYNAMIC_DISPATCH(ArangeF32)(to, begin, end, start, step);
}
void linspace_f32(float* to, std::int64_t begin, std::int64_t end, std::int64_t steps, float first,
                  float last, float step) {
  HWY_DYNAMIC_DISPATCH(LinspaceF32)(to, begin, end, steps, first, last, step);
}
void cosine_sums_f32(float* to, std::int64_t begin, std::int64_t end, double last,
                     std::span<const double> a, bool from_last) {
  HWY_DYNAMIC_DISPATCH(CosineSumsF32)(to, begin, end, last, a, from_last);
}

}  // namespace taper::factory
#endif
