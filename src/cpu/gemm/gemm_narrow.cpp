// Products of 16-bit floats. The factors are converted to f32, in which the product of two elements
// is exact.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/dtype_table.h"
#include "cpu/convert.h"
#include "cpu/gemm/bf16_dot.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"

namespace taper::cpu {
namespace {

constexpr std::int64_t kMinElementsPerThread = 1 << 15;  // minimum elements for a thread

/// Calls f(begin, end) for disjoint ranges of rows, in parallel unless a thread would receive
/// fewer than kMinElementsPerThread elements.
template <class F> void parallel_for_rows(std::int64_t rows, std::int64_t cols, const F& f) {
  parallel_for(0, rows,
               std::max<std::int64_t>(1, kMinElementsPerThread / std::max<std::int64_t>(1, cols)),
               f);
}

/// Converts a row of contiguous elements.
template <class To, class From> void convert_row(To* to, const From* from, std::int64_t n) {
  find_conversion(dtype_of<To>, dtype_of<From>)(reinterpret_cast<std::byte*>(to),
                                                reinterpret_cast<const std::byte*>(from), n);
}

/// Copy of a factor in f32, contiguous along the dimension along which the factor is contiguous.
template <class T> class F32Factor {
 public:
  F32Factor(const T* from, std::int64_t rows, std::int64_t cols, std::int64_t row, std::int64_t col)
      : scratch_(static_cast<std::size_t>(rows * cols) * sizeof(float)),
        transposed_(row == 1 && col != 1) {
    if (transposed_) std::swap(rows, cols), std::swap(row, col);
    cols_ = cols;
    float* const to = scratch_.as<float>();
    parallel_for_rows(rows, cols, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        if (col == 1)
          convert_row(to + i * cols, from + i * row, cols);
        else
          for (std::int64_t j = 0; j < cols; ++j)
            to[i * cols + j] = static_cast<float>(from[i * row + j * col]);
    });
  }
  const float* data() const { return scratch_.as<float>(); }
  std::int64_t row() const { return transposed_ ? 1 : cols_; }
  std::int64_t col() const { return transposed_ ? cols_ : 1; }

 private:
  Scratch scratch_;
  bool transposed_;
  std::int64_t cols_ = 0;
};

/// Computes the product into f32, by converted factors.
template <class T, class C>
void multiply_in_f32(const Gemm<T, C>& g, const float* bias, float* c, std::int64_t c_row) {
  const F32Factor<T> a(g.a, g.m, g.k, g.a_row, g.a_col), b(g.b, g.k, g.n, g.b_row, g.b_col);
  gemm(Gemm<float>{.m = g.m,
                   .n = g.n,
                   .k = g.k,
                   .a = a.data(),
                   .a_row = a.row(),
                   .a_col = a.col(),
                   .b = b.data(),
                   .b_row = b.row(),
                   .b_col = b.col(),
                   .c = c,
                   .c_row = c_row,
                   .bias = bias,
                   .accumulate = g.accumulate,
                   .relu = g.relu});
}

template <class T, class C> void run_in_f32(const Gemm<T, C>& g) {
  const Scratch bias_memory(g.bias ? static_cast<std::size_t>(g.n) * sizeof(float) : 0);
  const float* const bias = g.bias ? bias_memory.as<float>() : nullptr;
  if (g.bias) convert_row(bias_memory.as<float>(), g.bias, g.n);
  if constexpr (std::is_same_v<T, BFloat16>)
    if (has_bf16_dot(g.m, g.n, g.k)) return gemm_bf16_dot(g, bias);
  if constexpr (std::is_same_v<C, float>) {
    multiply_in_f32(g, bias, g.c, g.c_row);
  } else {
    const Scratch c_memory(static_cast<std::size_t>(g.m * g.n) * sizeof(float));
    float* const c = c_memory.as<float>();
    const auto for_each_row = [&](const auto& f) {
      parallel_for_rows(g.m, g.n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) f(g.c + i * g.c_row, c + i * g.n);
      });
    };
    if (g.accumulate) for_each_row([&](const C* x, float* y) { convert_row(y, x, g.n); });
    multiply_in_f32(g, bias, c, g.n);
    for_each_row([&](C* x, const float* y) { convert_row(x, y, g.n); });
  }
}

}  // namespace

void gemm(const Gemm<Half>& g) { run_in_f32(g); }
void gemm(const Gemm<BFloat16>& g) { run_in_f32(g); }
void gemm(const Gemm<Half, float>& g) { run_in_f32(g); }
void gemm(const Gemm<BFloat16, float>& g) { run_in_f32(g); }

}  // namespace taper::cpu
