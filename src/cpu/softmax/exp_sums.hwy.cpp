#include "cpu/softmax/exp_sums.h"

#include <algorithm>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/softmax/exp_sums.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/simd/math-inl.h"
#include "cpu/softmax/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {

template <class T> constexpr T kMinimum = -std::numeric_limits<T>::infinity();

template <class T> T Maximum(std::int64_t size, const T* x) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  // Several vectors hide the latency of the comparisons.
  auto m0 = hn::Set(d, kMinimum<T>), m1 = m0, m2 = m0, m3 = m0;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    m1 = hn::Max(m1, hn::LoadU(d, x + i + lanes));
    m2 = hn::Max(m2, hn::LoadU(d, x + i + 2 * lanes));
    m3 = hn::Max(m3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= size; i += lanes) m0 = hn::Max(m0, hn::LoadU(d, x + i));
  if (i < size)
    m1 = hn::Max(m1, load_n_or(d, x + i, static_cast<std::size_t>(size - i), kMinimum<T>));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
}

template <class T> T SumOfExponentials(std::int64_t size, const T* x, T max) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto top = hn::Set(d, max);
  auto s0 = hn::Zero(d), s1 = s0;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    s0 = hn::Add(s0, vec_exp_nonpositive(d, hn::Sub(hn::LoadU(d, x + i), top)));
    s1 = hn::Add(s1, vec_exp_nonpositive(d, hn::Sub(hn::LoadU(d, x + i + lanes), top)));
  }
  for (; i < size; i += lanes) {
    const auto n = static_cast<std::size_t>(std::min(lanes, size - i));
    const auto e = vec_exp_nonpositive(d, hn::Sub(load_n(d, x + i, n), top));
    s0 = hn::Add(s0, hn::IfThenElseZero(hn::FirstN(d, n), e));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

template <class T> void AddExponentials(std::int64_t size, const T* x, ExpSum<T>& s) {
  constexpr std::int64_t kBlock = 4096;  // remains in the first-level cache between both passes
  for (std::int64_t i = 0; i < size; i += kBlock) {
    const std::int64_t n = std::min(kBlock, size - i);
    const T block_max = Maximum(n, x + i);
    const T max = block_max > s.max ? block_max : s.max;
    // Differences of infinities would be NaN, although later elements may be finite.
    if (max == kMinimum<T> && block_max == max) continue;
    if (s.sum != 0 && max != s.max) {
      const hn::ScalableTag<T> d;
      s.sum *= hn::GetLane(vec_exp_nonpositive(d, hn::Set(d, s.max - max)));
    }
    s.sum += SumOfExponentials(n, x + i, max);
    s.max = max;
  }
}

/// Number of rows whose sums are buffered, so that one vector logarithm serves many rows.
constexpr std::int64_t kBufferedRows = 64;

template <class T>
void LogExpSums(std::int64_t rows, std::int64_t size, const T* x, T* max, T* log_sum) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool narrow = size <= kMaxNarrowSize && lanes > 1;
  HWY_ALIGN T tops[kBufferedRows], sums[kBufferedRows];
  HWY_ALIGN T transposed[static_cast<std::size_t>(kMaxNarrowSize) * hn::MaxLanes(d)];
  for (std::int64_t first = 0; first < rows; first += kBufferedRows) {
    const std::int64_t count = std::min(kBufferedRows, rows - first);
    std::fill_n(sums, kBufferedRows, T{1});
    for (std::int64_t r = 0; narrow && r < count; r += lanes) {
      pack_transposed(d, size, std::min(lanes, count - r), x + (first + r) * size, size,
                      transposed);
      auto top = hn::Load(d, transposed), sum = hn::Zero(d);
      for (std::int64_t k = 1; k < size; ++k)
        top = hn::Max(top, hn::Load(d, transposed + k * lanes));
      for (std::int64_t k = 0; k < size; ++k)
        sum =
            hn::Add(sum, vec_exp_nonpositive(d, hn::Sub(hn::Load(d, transposed + k * lanes), top)));
      hn::Store(top, d, tops + r);
      hn::Store(sum, d, sums + r);
    }
    for (std::int64_t r = 0; !narrow && r < count; ++r) {
      ExpSum<T> s;
      AddExponentials(size, x + (first + r) * size, s);
      tops[r] = s.max, sums[r] = s.sum;
    }
    for (std::int64_t r = 0; r < count; r += lanes)
      hn::Store(vec_log(d, hn::Load(d, sums + r)), d, sums + r);
    std::copy_n(tops, count, max + first);
    std::copy_n(sums, count, log_sum + first);
  }
}

template <class T> void ScaledSoftmax(std::int64_t rows, std::int64_t size, const T* x,
                                      const T* max, const T* log_sum, const T* scale, T* out) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t r = 0; r < rows; ++r, x += size, out += size) {
    const auto m = hn::Set(d, max[r]), l = hn::Set(d, log_sum[r]), s = hn::Set(d, scale[r]);
    const auto value = [&](auto v) HWY_ATTR {
      return hn::Mul(vec_exp_nonpositive(d, hn::Sub(hn::Sub(v, m), l)), s);
    };
    std::int64_t i = 0;
    for (; i + lanes <= size; i += lanes) hn::StoreU(value(hn::LoadU(d, x + i)), d, out + i);
    if (i < size) {
      const auto n = static_cast<std::size_t>(size - i);
      store_n(value(load_n(d, x + i, n)), d, out + i, n);
    }
  }
}

void AddExponentialsF32(std::int64_t size, const float* x, ExpSum<float>& s) {
  AddExponentials(size, x, s);
}
void AddExponentialsF64(std::int64_t size, const double* x, ExpSum<double>& s) {
  AddExponentials(size, x, s);
}
void LogExpSumsF32(std::int64_t rows, std::int64_t size, const float* x, float* m, float* l) {
  LogExpSums(rows, size, x, m, l);
}
void LogExpSumsF64(std::int64_t rows, std::int64_t size, const double* x, double* m, double* l) {
  LogExpSums(rows, size, x, m, l);
}
void ScaledSoftmaxF32(std::int64_t rows, std::int64_t size, const float* x, const float* m,
                      const float* l, const float* s, float* out) {
  ScaledSoftmax(rows, size, x, m, l, s, out);
}
void ScaledSoftmaxF64(std::int64_t rows, std::int64_t size, const double* x, const double* m,
                      const double* l, const double* s, double* out) {
  ScaledSoftmax(rows, size, x, m, l, s, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::cpu {

HWY_EXPORT(AddExponentialsF32);
HWY_EXPORT(AddExponentialsF64);
HWY_EXPORT(LogExpSumsF32);
HWY_EXPORT(LogExpSumsF64);
HWY_EXPORT(ScaledSoftmaxF32);
HWY_EXPORT(ScaledSoftmaxF64);

template <> void add_exponentials(std::int64_t size, const float* x, ExpSum<float>& s) {
  HWY_DYNAMIC_DISPATCH(AddExponentialsF32)(size, x, s);
}
template <> void add_exponentials(std::int64_t size, const double* x, ExpSum<double>& s) {
  HWY_DYNAMIC_DISPATCH(AddExponentialsF64)(size, x, s);
}
template <>
void log_exp_sums(std::int64_t rows, std::int64_t size, const float* x, float* m, float* l) {
  HWY_DYNAMIC_DISPATCH(LogExpSumsF32)(rows, size, x, m, l);
}
template <>
void log_exp_sums(std::int64_t rows, std::int64_t size, const double* x, double* m, double* l) {
  HWY_DYNAMIC_DISPATCH(LogExpSumsF64)(rows, size, x, m, l);
}
template <> void scaled_softmax(std::int64_t rows, std::int64_t size, const float* x,
                                const float* m, const float* l, const float* s, float* out) {
  HWY_DYNAMIC_DISPATCH(ScaledSoftmaxF32)(rows, size, x, m, l, s, out);
}
template <> void scaled_softmax(std::int64_t rows, std::int64_t size, const double* x,
                                const double* m, const double* l, const double* s, double* out) {
  HWY_DYNAMIC_DISPATCH(ScaledSoftmaxF64)(rows, size, x, m, l, s, out);
}

}  // namespace taper::cpu
#endif
