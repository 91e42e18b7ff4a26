#include "ops/linalg/small_triangle.h"

#include <algorithm>

#include "cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linalg/small_triangle.hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taper::kernel {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

template <class T> void SolveSmallTriangle(Triangle triangle, Block<T> a, Block<T> x) {
  constexpr std::int64_t kRows = kSmallTriangle;
  // Columns that are solved at once, because each is a chain of dependent operations.
  constexpr std::int64_t kColumns = 8;
  const hn::CappedTag<T, kRows> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool is_lower = triangle == Triangle::unit_lower;
  const std::int64_t size = x.rows;
  HWY_ALIGN T table[kRows][kRows] = {};  // columns of A without the diagonal
  // Rows that are solved are stored apart: those in `values` are subtracted from once more, which
  // makes them NaN if a later row is not finite.
  HWY_ALIGN T values[kColumns][kRows] = {};
  T solved[kColumns][kRows];
  for (std::int64_t j = 0; j < size; ++j)
    for (std::int64_t i = is_lower ? j + 1 : 0; i < (is_lower ? size : j); ++i)
      table[j][i] = a.column(j)[i];
  for (std::int64_t c = 0; c < x.columns; c += kColumns) {
    const std::int64_t count = std::min(kColumns, x.columns - c);
    for (std::int64_t q = 0; q < count; ++q) std::copy_n(x.column(c + q), size, values[q]);
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t j = is_lower ? k : size - 1 - k;
      if (!is_lower) {
        const T pivot = a.column(j)[j];
        for (auto& v : values) v[j] /= pivot;
      }
      for (std::int64_t q = 0; q < kColumns; ++q) {
        T* const v = values[q];
        solved[q][j] = v[j];
        const auto factor = hn::Set(d, v[j]);
        for (std::int64_t i = 0; i < kRows; i += lanes)
          hn::Store(hn::NegMulAdd(factor, hn::Load(d, table[j] + i), hn::Load(d, v + i)), d, v + i);
      }
    }
    for (std::int64_t q = 0; q < count; ++q) std::copy_n(solved[q], size, x.column(c + q));
  }
}

void SolveF32(Triangle triangle, Block<float> a, Block<float> x) {
  SolveSmallTriangle(triangle, a, x);
}
void SolveF64(Triangle triangle, Block<double> a, Block<double> x) {
  SolveSmallTriangle(triangle, a, x);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace taper::kernel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taper::kernel {

HWY_EXPORT(SolveF32);
HWY_EXPORT(SolveF64);

void solve_small_triangle(Triangle triangle, Block<float> a, Block<float> x) {
  HWY_DYNAMIC_DISPATCH(SolveF32)(triangle, a, x);
}
void solve_small_triangle(Triangle triangle, Block<double> a, Block<double> x) {
  HWY_DYNAMIC_DISPATCH(SolveF64)(triangle, a, x);
}

}  // namespace taper::kernel
#endif
