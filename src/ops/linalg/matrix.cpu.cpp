#include "ops/linalg/matrix.h"

#include <type_traits>

#include "core/dtype_table.h"
#include "cpu/gemm/gemm.h"
#include "cpu/threads.h"
#include "ops/linalg/cached_panels.h"

namespace taper::kernel {
namespace {

template <class T, class C> cpu::Gemm<T, C> make_gemm(const Matrix& a, const Matrix& b,
                                                      const Matrix& c, const T* bias,
                                                      bool accumulate) {
  return {.m = c.rows,
          .n = c.cols,
          .k = a.cols,
          .a = reinterpret_cast<const T*>(a.data),
          .a_row = a.row_stride,
          .a_col = a.col_stride,
          .b = reinterpret_cast<const T*>(b.data),
          .b_row = b.row_stride,
          .b_col = b.col_stride,
          .c = reinterpret_cast<C*>(c.data),
          .c_row = c.row_stride,
          .bias = bias,
          .accumulate = accumulate};
}

template <class T, class C> void multiply_batch(Matrices a, Matrices b, Matrices c,
                                                const std::byte* bias_data, bool accumulate) {
  const T* const bias = reinterpret_cast<const T*>(bias_data);
  if (c.first.cols == 1 && c.first.row_stride == 1 && !bias) {
    // A single column is computed as a row of the transposed product, whose elements are
    // contiguous.
    const Matrices original_a = a;
    a = b.transposed(), b = original_a.transposed(), c = c.transposed();
  }
  if (c.count == 1) {
    cpu::Gemm<T, C> g = make_gemm<T, C>(a[0], b[0], c[0], bias, accumulate);
    if constexpr (!std::is_same_v<T, C> || std::is_same_v<T, Half>) {
      return cpu::gemm(g);
    } else {
      const CachedPanels<T> panels(g, b.storage);
      g.panels = panels.data();
      return cpu::gemm(g);
    }
  }
  // Products large enough to occupy all threads run one after another.
  constexpr double kMaxParallelFlops = 4e6;
  const double flops_per_product =
      product_flops(a, c) / static_cast<double>(c.count > 0 ? c.count : 1);
  const std::int64_t grain = flops_per_product > kMaxParallelFlops
                                 ? c.count
                                 : static_cast<std::int64_t>(1 + 5e5 / (flops_per_product + 100));
  cpu::parallel_for(0, c.count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      cpu::gemm(make_gemm<T, C>(a[i], b[i], c[i], bias, accumulate));
  });
}

}  // namespace

bool multiply(const Matrices& a, const Matrices& b, const Matrices& c, const std::byte* bias,
              bool accumulate) {
  const auto multiply_narrow = [&]<class T>(T) {
    if (c.first.dtype == DType::f32)
      multiply_batch<T, float>(a, b, c, bias, accumulate);
    else
      multiply_batch<T, T>(a, b, c, bias, accumulate);
  };
  switch (a.first.dtype) {
    case DType::f32: multiply_batch<float, float>(a, b, c, bias, accumulate); return true;
    case DType::f64: multiply_batch<double, double>(a, b, c, bias, accumulate); return true;
    case DType::f16: multiply_narrow(Half()); return true;
    case DType::bf16: multiply_narrow(BFloat16()); return true;
    default: return false;
  }
}

}  // namespace taper::kernel
