// LU factorizations and solutions of systems of all sizes around those of blocks, on every
// instruction set.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernels/targets.h"
#include "linalg/precisions.h"
#include "ops/linalg/small_triangle.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
using test::expect_close;
using test::kPrecisions;

template <class F> void for_each_precision(F&& check) {
  test::for_each_target([&] {
    for (const auto& [dtype, tolerance] : kPrecisions) {
      SCOPED_TRACE(dtype);
      manual_seed(3);
      check(TensorOptions{.dtype = dtype}, tolerance);
    }
  });
}

void expect_factors(const Tensor& a, double tolerance) {
  SCOPED_TRACE(a.shape());
  const auto [p, l, u] = linalg::lu(a);
  expect_close(p.matmul(l).matmul(u), a, tolerance);
  EXPECT_LE(l.abs().max().item<double>(), 1);  // the pivot is the largest element
  EXPECT_TRUE(equal(l.triu(1), zeros_like(l)));
  EXPECT_TRUE(equal(u.tril(-1), zeros_like(u)));
}

TEST(Lu, FactorsMultiplyToTheMatrix) {
  for_each_precision([](const TensorOptions& options, double tolerance) {
    for (const std::int64_t m : {1, 7, 16, 17, 33, 50, 100, 131})
      for (const std::int64_t n : {1, 8, 16, 31, 33, 64, 100, 150})
        expect_factors(randn({m, n}, options), tolerance);
    expect_factors(randn({3, 40, 60}, options).mT(), tolerance);
  });
}

TEST(Lu, ZeroPivotsAreReportedAndDoNotEndTheFactorization) {
  for_each_precision([](const TensorOptions& options, double tolerance) {
    const Tensor a = randn({70, 70}, options);
    a.select(1, 20).zero_();
    a.select(1, 50).zero_();
    expect_factors(a, tolerance);
    const auto [lu, pivots, info] = linalg::lu_factor_ex(a);
    EXPECT_EQ(info.item<std::int64_t>(), 21);
    EXPECT_EQ(linalg::det(a).item<double>(), 0);
  });
}

TEST(Lu, SolvesSystemsOfAnyNumberOfColumns) {
  for_each_precision([](const TensorOptions& options, double tolerance) {
    for (const std::int64_t n : {1, 15, 16, 17, 33, 64, 100, 131}) {
      const Tensor a = randn({n, n}, options) + 20 * eye(n, n, options);
      for (const std::int64_t columns : {0, 1, 7, 8, 9, 100}) {
        const Tensor b = randn({n, columns}, options);
        expect_close(a.matmul(linalg::solve(a, b)), b, tolerance);
      }
      expect_close(a.matmul(linalg::inv(a)), eye(n, n, options), tolerance);
    }
  });
}

template <class T> void check_infinite_row(kernel::Triangle triangle) {
  constexpr std::int64_t n = kernel::kSmallTriangle, row = 5;
  const bool is_lower = triangle == kernel::Triangle::unit_lower;
  std::vector<T> a(n * n, T(1)), x(n, T(1));
  x[row] = std::numeric_limits<T>::infinity();
  kernel::solve_small_triangle(triangle, kernel::Block<T>{a.data(), n, n, n},
                               kernel::Block<T>{x.data(), n, 1, n});
  for (std::int64_t i = 0; i < n; ++i) {
    const bool is_before = is_lower ? i < row : i > row;
    EXPECT_EQ(std::isfinite(x[static_cast<std::size_t>(i)]), is_before) << i;
  }
  EXPECT_TRUE(std::isinf(x[row]));
}

TEST(SmallTriangle, InfinityDoesNotChangeRowsThatAreSolved) {
  test::for_each_target([] {
    for (const auto triangle : {kernel::Triangle::unit_lower, kernel::Triangle::upper}) {
      check_infinite_row<float>(triangle);
      check_infinite_row<double>(triangle);
    }
  });
}

}  // namespace
