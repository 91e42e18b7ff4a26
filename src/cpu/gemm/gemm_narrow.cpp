// Products of 16-bit floats. The factors are converted to f32, in which the product of two elements
// is exact.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "cpu/gemm/gemm.h"
#include "cpu/scratch.h"
#include "cpu/threads.h"

namespace taper::cpu {
namespace {

constexpr std::int64_t kMinElementsPerThread = 1 << 15;  // minimum elements for a thread

/// Calls f(begin, end) on parts of the rows, in parallel if there are many elements.
template <class F> void parallel_for_rows(std::int64_t rows, std::int64_t cols, const F& f) {
  parallel_for(0, rows,
               std::max<std::int64_t>(1, kMinElementsPerThread / std::max<std::int64_t>(1, cols)),
               f);
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
      for (std::int64_t i = begin; i < end; ++i) {
        const T* const f = from + i * row;
        float* const t = to + i * cols;
        if (col == 1)
          for (std::int64_t j = 0; j < cols; ++j) t[j] = static_cast<float>(f[j]);
        else
          for (std::int64_t j = 0; j < cols; ++j) t[j] = static_cast<float>(f[j * col]);
      }
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

template <class T, class C> void run_in_f32(const Gemm<T, C>& g) {
  const F32Factor<T> a(g.a, g.m, g.k, g.a_row, g.a_col), b(g.b, g.k, g.n, g.b_row, g.b_col);
  const Scratch bias(g.bias ? static_cast<std::size_t>(g.n) * sizeof(float) : 0);
  if (g.bias)
    std::transform(g.bias, g.bias + g.n, bias.as<float>(),
                   [](T x) { return static_cast<float>(x); });
  Gemm<float> f32_product{.m = g.m,
                          .n = g.n,
                          .k = g.k,
                          .a = a.data(),
                          .a_row = a.row(),
                          .a_col = a.col(),
                          .b = b.data(),
                          .b_row = b.row(),
                          .b_col = b.col(),
                          .bias = g.bias ? bias.as<float>() : nullptr,
                          .accumulate = g.accumulate,
                          .relu = g.relu};
  if constexpr (std::is_same_v<C, float>) {
    f32_product.c = g.c;
    f32_product.c_row = g.c_row;
    gemm(f32_product);
  } else {
    const Scratch c(static_cast<std::size_t>(g.m * g.n) * sizeof(float));
    f32_product.c = c.as<float>();
    f32_product.c_row = g.n;
    const auto for_each_element = [&](const auto& f) {
      parallel_for_rows(g.m, g.n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          for (std::int64_t j = 0; j < g.n; ++j)
            f(g.c[i * g.c_row + j], f32_product.c[i * g.n + j]);
      });
    };
    if (g.accumulate) for_each_element([](C& x, float& y) { y = static_cast<float>(x); });
    gemm(f32_product);
    for_each_element([](C& x, float& y) { x = C(y); });
  }
}

}  // namespace

void gemm(const Gemm<Half>& g) { run_in_f32(g); }
void gemm(const Gemm<BFloat16>& g) { run_in_f32(g); }
void gemm(const Gemm<Half, float>& g) { run_in_f32(g); }
void gemm(const Gemm<BFloat16, float>& g) { run_in_f32(g); }

}  // namespace taper::cpu
