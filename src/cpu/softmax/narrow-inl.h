// Softmax of rows of at most kMaxNarrowSize elements. Blocks of rows are transposed, so that each
// lane holds one row and reductions need no operations across lanes.
#if defined(TAPER_CPU_SOFTMAX_NARROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TAPER_CPU_SOFTMAX_NARROW_INL_H_
#undef TAPER_CPU_SOFTMAX_NARROW_INL_H_
#else
#define TAPER_CPU_SOFTMAX_NARROW_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cpu/gemm/pack-inl.h"
#include "cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taper::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Maximum number of elements of a narrow row.
constexpr std::int64_t kMaxNarrowSize = 32;

/// Computes the softmax of `rows` rows of `size` elements, where `rows` is at most the number of
/// lanes.
template <bool Log, class T>
void SoftmaxNarrowBlock(std::int64_t rows, std::int64_t size, const T* x, T* y) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t max = hn::MaxLanes(d);
  const std::size_t lanes = hn::Lanes(d), count = static_cast<std::size_t>(size);
  const std::int64_t step = static_cast<std::int64_t>(lanes);
  HWY_ALIGN T transposed[static_cast<std::size_t>(kMaxNarrowSize) * max];
  HWY_ALIGN T back[(static_cast<std::size_t>(kMaxNarrowSize) + max) * max];
  pack_transposed(d, size, rows, x, size, transposed);
  V top = hn::Load(d, transposed);
  for (std::size_t k = 1; k < count; ++k) top = hn::Max(top, hn::Load(d, transposed + k * lanes));
  V sum = hn::Zero(d);
  for (std::size_t k = 0; k < count; ++k) {
    const V v = hn::Sub(hn::Load(d, transposed + k * lanes), top);
    const V e = vec_exp_nonpositive(d, v);
    sum = hn::Add(sum, e);
    hn::Store(Log ? v : e, d, transposed + k * lanes);
  }
  const V last = Log ? vec_log(d, sum) : hn::Div(hn::Set(d, T{1}), sum);
  for (std::size_t k = 0; k < count; ++k) {
    const V v = hn::Load(d, transposed + k * lanes);
    hn::Store(Log ? hn::Sub(v, last) : hn::Mul(v, last), d, transposed + k * lanes);
  }
  pack_transposed(d, rows, size, transposed, step, back);
  const std::int64_t row = (size + step - 1) / step * step;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t i = 0;
    for (; i + step <= size; i += step)
      hn::StoreU(hn::LoadU(d, back + r * row + i), d, y + r * size + i);
    if (i < size)
      store_n(hn::LoadU(d, back + r * row + i), d, y + r * size + i,
              static_cast<std::size_t>(size - i));
  }
}

/// Computes the softmax of rows [begin, end) of [rows, size].
template <class T> void SoftmaxNarrowRows(std::int64_t begin, std::int64_t end, std::int64_t size,
                                          bool log, const T* x, T* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  for (std::int64_t r = begin; r < end; r += lanes) {
    const std::int64_t rows = std::min(lanes, end - r);
    if (log)
      SoftmaxNarrowBlock<true>(rows, size, x + r * size, y + r * size);
    else
      SoftmaxNarrowBlock<false>(rows, size, x + r * size, y + r * size);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace taper::cpu
HWY_AFTER_NAMESPACE();
#endif
