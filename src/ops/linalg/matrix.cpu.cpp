#include "ops/linalg/matrix.h"

#include "core/dtype_table.h"
#include "cpu/gemm/gemm.h"
#include "cpu/threads.h"
#include "ops/linalg/cached_panels.h"

namespace taper::kernel {
namespace {

template <class T, class C> cpu::Gemm<T, C> product(const Matrix& a, const Matrix& b,
                                                    const Matrix& c, const T* bias,
                                                    bool accumulate) {
  return {.m = c.rows,
          .n = c.cols,
          .k = a.cols,
          .a = reinterpret_cast<const T*>(a.data),
          .a_row = a.row,
          .a_col = a.col,
          .b = reinterpret_cast<const T*>(b.data),
          .b_row = b.row,
          .b_col = b.col,
          .c = reinterpret_cast<C*>(c.data),
          .c_row = c.row,
          .bias = bias,
          .accumulate = accumulate};
}

template <class T, class C>
void all(Matrices a, Matrices b, Matrices c, const std::byte* bias_data, bool accumulate) {
  const T* const bias = reinterpret_cast<const T*>(bias_data);
  if (c.first.cols == 1 && c.first.row == 1 && !bias) {
    // A single column is computed as a row of the transposed product, whose elements are
    // contiguous.
    const Matrices a_before = a;
    a = b.transposed(), b = a_before.transposed(), c = c.transposed();
  }
  if (c.count == 1) {
    cpu::Gemm<T, C> g = product<T, C>(a[0], b[0], c[0], bias, accumulate);
    if constexpr (is_narrow_float<T>) {
      return cpu::gemm(g);
    } else {
      const CachedPanels<T> panels(g, b.storage);
      g.panels = panels.data();
      return cpu::gemm(g);
    }
  }
  // Products large enough to occupy all threads run one after another.
  constexpr double kFills = 4e6;
  const double each = product_flops(a, c) / static_cast<double>(c.count > 0 ? c.count : 1);
  const std::int64_t grain =
      each > kFills ? c.count : static_cast<std::int64_t>(1 + 5e5 / (each + 100));
  cpu::parallel_for(0, c.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      cpu::gemm(product<T, C>(a[i], b[i], c[i], bias, accumulate));
  });
}

}  // namespace

bool multiply(const Matrices& a, const Matrices& b, const Matrices& c, const std::byte* bias,
              bool accumulate) {
  const auto multiply_narrow = [&]<class T>(T) {
    if (c.first.dtype == DType::f32)
      all<T, float>(a, b, c, bias, accumulate);
    else
      all<T, T>(a, b, c, bias, accumulate);
  };
  switch (a.first.dtype) {
    case DType::f32: all<float, float>(a, b, c, bias, accumulate); return true;
    case DType::f64: all<double, double>(a, b, c, bias, accumulate); return true;
    case DType::f16: multiply_narrow(Half()); return true;
    case DType::bf16: multiply_narrow(BFloat16()); return true;
    default: return false;
  }
}

}  // namespace taper::kernel
