// Matrices of more than 32 rows or columns, which LAPACK decomposes where it is installed: results
// and errors are those of the kernels that decompose smaller ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/precisions.h"
#include "ops/linalg/lapack.h"
#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
using test::error_message;
using test::expect_close;
using test::kPrecisions;

/// Returns the result of `f` without LAPACK.
template <class F> auto without_lapack(F f) {
  kernel::lapack::set_enabled(false);
  auto result = f();
  kernel::lapack::set_enabled(true);
  return result;
}

/// Returns matrices of sizes that LAPACK decomposes: a batch and transposed and strided views.
std::vector<Tensor> matrices(DType dtype, bool square) {
  manual_seed(11);
  const TensorOptions options{.dtype = dtype};
  std::vector<Tensor> all{randn({2, 70, 70}, options), randn({40, 40}, options),
                          randn({90, 90}, options).mT(),
                          randn({2, 80, 160}, options).slice(-1, 0, 160, 2)};
  if (!square) {
    all.push_back(randn({100, 40}, options));
    all.push_back(randn({2, 20, 80}, options));
    all.push_back(randn({80, 90}, options).mT());
  }
  return all;
}

TEST(LargeMatrices, FactorsEqualThoseWithoutLapack) {
  for (const auto& [dtype, tolerance] : kPrecisions)
    for (const Tensor& a : matrices(dtype, false)) {
      for (const char* mode : {"reduced", "complete"}) {
        const auto [q, r] = linalg::qr(a, mode);
        const auto expected = without_lapack([&] { return linalg::qr(a, mode); });
        expect_close(q, expected.first, tolerance);
        expect_close(r, expected.second, tolerance * 10);
      }
      const auto [reflectors, tau] = geqrf(a);
      const auto expected = without_lapack([&] { return geqrf(a); });
      expect_close(reflectors, expected.first, tolerance * 10);
      expect_close(tau, expected.second, tolerance);
      if (a.size(-2) < a.size(-1)) continue;
      const Tensor t = tau;
      expect_close(
          linalg::householder_product(reflectors, tau),
          without_lapack([&, r = reflectors] { return linalg::householder_product(r, t); }),
          tolerance);
    }
}

TEST(LargeMatrices, SingularValuesAndPseudoinversesEqualThoseWithoutLapack) {
  for (const auto& [dtype, tolerance] : kPrecisions)
    for (const Tensor& a : matrices(dtype, false)) {
      const Tensor expected = without_lapack([&] { return linalg::svdvals(a); });
      expect_close(linalg::svdvals(a), expected, tolerance * 10);
      for (const bool full : {false, true}) {
        const auto [u, s, vh] = linalg::svd(a, full);
        expect_close(s, expected, tolerance * 10);
        const std::int64_t k = s.size(-1);
        expect_close((u.narrow(-1, 0, k) * s.unsqueeze(-2)).matmul(vh.narrow(-2, 0, k)), a,
                     tolerance * 10);
        const TensorOptions options{.dtype = dtype};
        expect_close(u.mT().matmul(u),
                     eye(u.size(-1), u.size(-1), options).expand(u.mT().matmul(u).shape()),
                     tolerance);
      }
      expect_close(a.matmul(linalg::pinv(a)).matmul(a), a, tolerance * 100);
      const Tensor symmetric = a.size(-1) == a.size(-2) ? a + a.mT() : a.matmul(a.mT());
      const Tensor inverse = linalg::pinv(symmetric, {}, {}, true);
      expect_close(symmetric.matmul(inverse).matmul(symmetric), symmetric, tolerance * 1000);
    }
}

TEST(LargeMatrices, EigenvaluesEqualThoseWithoutLapack) {
  for (const auto& [dtype, tolerance] : kPrecisions)
    for (const Tensor& a : matrices(dtype, true))
      for (const char* triangle : {"L", "U"}) {
        const auto [values, vectors] = linalg::eigh(a, triangle);
        const auto expected = without_lapack([&] { return linalg::eigh(a, triangle); });
        expect_close(values, expected.first, tolerance * 10);
        expect_close(linalg::eigvalsh(a, triangle), values, tolerance * 10);
        const Tensor side = *triangle == 'L' ? a.tril() : a.triu();
        const Tensor full = side + side.mT() - diag_embed(side.diagonal(0, -2, -1));
        expect_close((vectors * values.unsqueeze(-2)).matmul(vectors.mT()), full, tolerance * 10);
      }
}

TEST(LargeMatrices, SolutionsEqualThoseWithoutLapack) {
  for (const auto& [dtype, tolerance] : kPrecisions)
    for (const Tensor& x : matrices(dtype, true)) {
      const Tensor a = x + 20 * eye(x.size(-1), x.size(-1), {.dtype = dtype});
      const Tensor b = randn({x.size(-1), 3}, {.dtype = dtype});
      const auto compare = [&, tolerance = tolerance](auto f) {
        expect_close(f(), without_lapack(f), tolerance);
      };
      compare([&] { return linalg::cholesky(a.matmul(a.mT())) / 100; });
      compare([&] { return linalg::cholesky(a.matmul(a.mT()), true) / 100; });
      for (const bool upper : {false, true})
        for (const bool left : {false, true})
          for (const bool unit : {false, true}) {
            // With a unit diagonal, solutions grow with the elements beside it.
            const Tensor triangle = unit ? a / 100 : a;
            compare([&] {
              return linalg::solve_triangular(triangle, left ? b : b.mT(), upper, left, unit);
            });
          }
    }
}

TEST(LargeMatrices, ErrorsAreThoseWithoutLapack) {
  const auto expect_same_error = [](auto f) {
    const std::string message = error_message(f);
    EXPECT_FALSE(message.empty());
    EXPECT_EQ(message, without_lapack([&] { return error_message(f); }));
  };
  for (const auto& precision : kPrecisions) {
    const TensorOptions options{.dtype = precision.dtype};
    const Tensor zero = zeros({2, 70, 70}, options), a = eye(70, 70, options);
    const Tensor indefinite = a.clone(), nan = a.clone();
    indefinite[30][30].fill_(-1);
    nan[50][20].fill_(std::numeric_limits<double>::quiet_NaN());
    expect_same_error([&] { linalg::inv(zero); });
    expect_same_error([&] { linalg::solve(zero, ones({2, 70, 1}, options)); });
    expect_same_error([&] { linalg::cholesky(indefinite); });
    expect_same_error([&] { linalg::cholesky(nan); });
    expect_same_error([&] { linalg::svd(nan); });
    expect_same_error([&] { linalg::svdvals(stack({a, nan})); });
    expect_same_error([&] { linalg::pinv(nan); });
    expect_same_error([&] { linalg::eigh(nan); });
    EXPECT_EQ(linalg::cholesky_ex(indefinite).second.item<int>(), 31);
    EXPECT_EQ(linalg::det(zero).sum().item<double>(), 0);
  }
}

}  // namespace
