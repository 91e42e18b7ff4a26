// Methods and functions that call another form of linear algebra.
#include <gtest/gtest.h>

#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;

Tensor symmetric_matrix() {
  manual_seed(4);
  const Tensor x = randn({3, 3}, {.dtype = float64});
  return x.matmul(x.mT()) + eye(3, 3, {.dtype = float64});
}

TEST(LinalgMethods, EqualTheFunctions) {
  const Tensor a = symmetric_matrix(), b = randn({3, 2}, {.dtype = float64});
  EXPECT_TRUE(equal(a.matrix_power(3), matrix_power(a, 3)));
  const Tensor l = linalg::cholesky(a), upper = l.mT();
  EXPECT_TRUE(equal(l.cholesky_inverse(), cholesky_inverse(l)));
  EXPECT_TRUE(equal(b.cholesky_solve(upper, true), cholesky_solve(b, upper, true)));
  EXPECT_TRUE(allclose(a.matmul(b.cholesky_solve(l)), b));
  const auto [lu, pivots] = a.lu();
  EXPECT_TRUE(equal(lu, linalg::lu_factor(a).first));
  EXPECT_TRUE(equal(taper::lu(a).second, pivots));
  EXPECT_TRUE(allclose(a.matmul(b.lu_solve(lu, pivots)), b));
  EXPECT_TRUE(allclose(l.matmul(b.triangular_solve(l, false).first), b));
  EXPECT_TRUE(allclose(upper.matmul(b.triangular_solve(l, false, true).first), b));
  const auto [reflectors, tau] = b.geqrf();
  EXPECT_TRUE(equal(reflectors, geqrf(b).first));
  EXPECT_TRUE(equal(reflectors.orgqr(tau), orgqr(reflectors, tau)));
  EXPECT_TRUE(equal(reflectors.ormqr(tau, a, false, true), ormqr(reflectors, tau, a, false, true)));
}

TEST(LinalgMethods, AddmvOverwritesItsInput) {
  const Tensor y = ones({2}), m = ones({2, 3}), x = tensor({1., 2., 3.});
  EXPECT_TRUE(addmv_(y, m, x, 2, 0.5).is_same(y));
  EXPECT_TRUE(equal(y, full({2}, 5.)));
  EXPECT_THROW(addmv_(ones({1}), m, x), ShapeError);
}

}  // namespace
