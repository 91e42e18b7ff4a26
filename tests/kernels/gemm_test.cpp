// Matrix products against plain loops in double, within the bound of rounding.
#include "cpu/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "kernels/guarded.h"
#include "kernels/targets.h"
#include "taper/core/parallel.h"

namespace taper::cpu {
namespace {

using test::Guarded;
using test::random_values;

enum class Lay { plain, turned, strided };

struct Case {
  std::int64_t m, n, k;
  Lay a = Lay::plain, b = Lay::plain;
  bool bias = false, accumulate = false, relu = false;
  std::int64_t pad = 0;  // number of unused columns of C
};

template <class T> struct Operand {
  std::vector<T> data;
  std::int64_t row, col;
  Operand(std::int64_t rows, std::int64_t cols, Lay lay, unsigned seed) {
    row = lay == Lay::plain ? cols : lay == Lay::turned ? 1 : 3 * cols;
    col = lay == Lay::plain ? 1 : lay == Lay::turned ? rows : 3;
    // The buffer ends at the last element.
    const std::int64_t n = rows == 0 || cols == 0 ? 0 : (rows - 1) * row + (cols - 1) * col + 1;
    data = random_values<T>(n, seed);
  }
};

template <class T, class F> void check(const Case& c, F&& product) {
  const Operand<T> a(c.m, c.k, c.a, 1), b(c.k, c.n, c.b, 2);
  const std::vector<T> bias = random_values<T>(c.n, 3);
  const std::int64_t ldc = c.n + c.pad, size = c.m == 0 ? 0 : (c.m - 1) * ldc + c.n;
  const std::vector<T> before = random_values<T>(size, 4);
  Guarded<T> out(size);
  std::copy(before.begin(), before.end(), out.begin());
  product(Gemm<T>{.m = c.m,
                  .n = c.n,
                  .k = c.k,
                  .a = a.data.data(),
                  .a_row = a.row,
                  .a_col = a.col,
                  .b = b.data.data(),
                  .b_row = b.row,
                  .b_col = b.col,
                  .c = out.data(),
                  .c_row = ldc,
                  .bias = c.bias ? bias.data() : nullptr,
                  .accumulate = c.accumulate,
                  .relu = c.relu});
  EXPECT_TRUE(out.intact());
  for (std::int64_t i = 0; i < c.m; ++i) {
    for (std::int64_t j = 0; j < c.n; ++j) {
      const auto at = [](const auto& v, std::int64_t x) {
        return static_cast<double>(v[static_cast<std::size_t>(x)]);
      };
      double want = c.bias ? at(bias, j) : 0, size_of = std::fabs(want);
      if (c.accumulate)
        want += at(before, i * ldc + j), size_of += std::fabs(at(before, i * ldc + j));
      for (std::int64_t k = 0; k < c.k; ++k) {
        const double p = at(a.data, i * a.row + k * a.col) * at(b.data, k * b.row + j * b.col);
        want += p;
        size_of += std::fabs(p);
      }
      if (c.relu && want < 0) want = 0;
      const double bound =
          size_of * static_cast<double>(c.k + 2) * std::numeric_limits<T>::epsilon();
      ASSERT_NEAR(static_cast<double>(out[i * ldc + j]), want, bound) << "at " << i << ", " << j;
    }
    for (std::int64_t j = c.n; j < ldc && i + 1 < c.m; ++j)
      ASSERT_EQ(out[i * ldc + j], before[static_cast<std::size_t>(i * ldc + j)])
          << "padding touched";
  }
}

std::string name(const Case& c) {
  return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) + " a " +
         std::to_string(static_cast<int>(c.a)) + " b " + std::to_string(static_cast<int>(c.b));
}

template <class T> void check_native(const Case& c) {
  SCOPED_TRACE(name(c));
  test::for_each_target([&] { check<T>(c, [](const Gemm<T>& g) { gemm(g); }); });
}

TEST(Gemm, MatchesReferenceForSmallSizesAndLayouts) {
  for (const std::int64_t m : {1, 2, 3, 5, 7, 16})
    for (const std::int64_t n : {1, 3, 10, 16, 17, 31, 64, 67})
      for (const std::int64_t k : {1, 2, 9, 16, 33})
        for (const Lay a : {Lay::plain, Lay::turned})
          for (const Lay b : {Lay::plain, Lay::turned}) {
            check_native<float>({.m = m, .n = n, .k = k, .a = a, .b = b});
            if (HasFatalFailure()) return;
          }
}

TEST(Gemm, MatchesReferenceForDoubleAndStridedOperands) {
  for (const std::int64_t m : {1, 4, 13})
    for (const std::int64_t n : {1, 8, 21, 40})
      for (const Lay a : {Lay::plain, Lay::turned, Lay::strided})
        for (const Lay b : {Lay::plain, Lay::turned, Lay::strided}) {
          check_native<double>({.m = m, .n = n, .k = 19, .a = a, .b = b});
          check_native<float>({.m = m, .n = n, .k = 19, .a = a, .b = b, .pad = 3});
          if (HasFatalFailure()) return;
        }
}

TEST(Gemm, AppliesBiasReluAndAccumulate) {
  for (const std::int64_t m : {2, 9})
    for (const std::int64_t n : {5, 33})
      for (const Lay b : {Lay::plain, Lay::turned})
        for (int bits = 0; bits < 8; ++bits) {
          const Case c{.m = m,
                       .n = n,
                       .k = 24,
                       .b = b,
                       .bias = (bits & 1) != 0,
                       .accumulate = (bits & 2) != 0,
                       .relu = (bits & 4) != 0,
                       .pad = 2};
          check_native<float>(c);
          check_native<double>(c);
          if (HasFatalFailure()) return;
        }
}

TEST(Gemm, EmptyInput) {
  check_native<float>({.m = 0, .n = 3, .k = 4});
  check_native<float>({.m = 3, .n = 0, .k = 4});
  check_native<float>({.m = 3, .n = 5, .k = 0});
  check_native<float>({.m = 3, .n = 5, .k = 0, .bias = true});
  check_native<float>({.m = 3, .n = 5, .k = 0, .accumulate = true});
  check_native<double>({.m = 3, .n = 5, .k = 0, .b = Lay::turned, .bias = true, .relu = true});
}

TEST(Gemm, MatchesReferenceForLargeSizesWithThreads) {
  const int before = get_num_threads();
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    // The cases are split by columns or rows, or have long sums or dot products.
    for (const Case& c :
         {Case{.m = 70, .n = 300, .k = 410, .b = Lay::turned, .bias = true, .relu = true},
          Case{.m = 333, .n = 20, .k = 90, .b = Lay::turned},
          Case{.m = 90, .n = 300, .k = 800, .accumulate = true},
          Case{.m = 3, .n = 700, .k = 300, .b = Lay::turned, .bias = true}}) {
      check<float>(c, [](const Gemm<float>& g) { gemm(g); });
      check<double>(c, [](const Gemm<double>& g) { gemm(g); });
    }
  }
  set_num_threads(before);
}

TEST(Gemm, MatchesReferenceForPackedOperands) {
  const int before = get_num_threads();
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    // Columns of A far apart, rows of B far apart, several blocks of rows, passes over k, and
    // chunks of panels.
    for (const Case& c :
         {Case{.m = 150, .n = 70, .k = 400, .a = Lay::turned},
          Case{.m = 210, .n = 1100, .k = 33, .a = Lay::turned, .bias = true, .relu = true},
          Case{.m = 130, .n = 90, .k = 800, .a = Lay::turned, .b = Lay::turned, .accumulate = true},
          Case{.m = 120, .n = 300, .k = 390, .pad = 7}, Case{.m = 10, .n = 1100, .k = 300}}) {
      check<float>(c, [](const Gemm<float>& g) { gemm(g); });
      check<double>(c, [](const Gemm<double>& g) { gemm(g); });
    }
  }
  set_num_threads(before);
}

TEST(Gemm, DoesNotDependOnThreads) {
  const std::int64_t m = 210, n = 300, k = 900;
  const auto a = random_values<float>(m * k, 1), b = random_values<float>(k * n, 2);
  const int before = get_num_threads();
  for (const bool turned : {false, true}) {
    std::vector<float> first;
    for (const int threads : {1, 2, 3, 8}) {
      set_num_threads(threads);
      std::vector<float> c(static_cast<std::size_t>(m * n));
      gemm(Gemm<float>{.m = m,
                       .n = n,
                       .k = k,
                       .a = a.data(),
                       .a_row = turned ? 1 : k,
                       .a_col = turned ? m : 1,
                       .b = b.data(),
                       .b_row = n,
                       .c = c.data(),
                       .c_row = n});
      if (threads == 1) first = c;
      EXPECT_EQ(c, first) << threads << " threads";
    }
  }
  set_num_threads(before);
}

TEST(Gemm, ReluPropagatesNaN) {
  test::for_each_target([] {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float a[2] = {nan, -1}, b[3] = {1, 2, 3};
    float c[6];
    gemm(Gemm<float>{.m = 2,
                     .n = 3,
                     .k = 1,
                     .a = a,
                     .a_row = 1,
                     .b = b,
                     .b_row = 3,
                     .c = c,
                     .c_row = 3,
                     .relu = true});
    EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[2]));
    EXPECT_EQ(c[4], 0.0f);
  });
}

TEST(Gemm, ComputesColumnSums) {
  test::for_each_target([] {
    for (const std::int64_t m : {0, 1, 3, 4, 9})
      for (const std::int64_t n : {0, 1, 10, 16, 37}) {
        const std::vector<float> x = random_values<float>(m * (n + 2), 5);
        Guarded<float> sums(n, 0.5f);
        column_sums(m, n, x.data(), n + 2, sums.data(), true);
        EXPECT_TRUE(sums.intact());
        for (std::int64_t j = 0; j < n; ++j) {
          double want = 0.5;
          for (std::int64_t i = 0; i < m; ++i)
            want += static_cast<double>(x[static_cast<std::size_t>(i * (n + 2) + j)]);
          EXPECT_EQ(static_cast<double>(sums[j]), want);  // values lie on a grid, so sums are exact
        }
      }
  });
}

/// Returns `start` plus the sum of left(l) * right(l), which is exact for values on a grid.
template <class L, class R> double exact_sum(double start, std::int64_t k, L&& left, R&& right) {
  for (std::int64_t l = 0; l < k; ++l) start += left(l) * right(l);
  return start;
}

TEST(Gemm, ComputesLinearAndItsGradients) {
  constexpr std::int64_t m = 5, in = 7, out = 6;
  const auto x = random_values<double>(m * in, 1), w = random_values<double>(out * in, 2),
             b = random_values<double>(out, 3), g = random_values<double>(m * out, 4);
  Guarded<double> y(m * out), dx(m * in), dw(out * in), db(out);
  linear_forward(m, in, out, x.data(), w.data(), b.data(), y.data());
  linear_backward(m, in, out, x.data(), w.data(), g.data(), dx.data(), dw.data(), db.data());
  const auto at = [](const std::vector<double>& matrix, std::int64_t columns) {
    return [&matrix, columns](std::int64_t i, std::int64_t j) {
      return matrix[static_cast<std::size_t>(i * columns + j)];
    };
  };
  const auto X = at(x, in), W = at(w, in), G = at(g, out);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t o = 0; o < out; ++o)
      EXPECT_EQ(y[i * out + o],
                exact_sum(
                    b[static_cast<std::size_t>(o)], in, [&](auto l) { return X(i, l); },
                    [&](auto l) { return W(o, l); }));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < in; ++j)
      EXPECT_EQ(dx[i * in + j],
                exact_sum(
                    0, out, [&](auto l) { return G(i, l); }, [&](auto l) { return W(l, j); }));
  for (std::int64_t o = 0; o < out; ++o) {
    const auto g_of_output = [&](auto l) { return G(l, o); };
    for (std::int64_t j = 0; j < in; ++j)
      EXPECT_EQ(dw[o * in + j], exact_sum(0, m, g_of_output, [&](auto l) { return X(l, j); }));
    EXPECT_EQ(db[o], exact_sum(0, m, g_of_output, [](auto) { return 1.0; }));
  }
  EXPECT_TRUE(y.intact() && dx.intact() && dw.intact() && db.intact());
}

}  // namespace
}  // namespace taper::cpu
