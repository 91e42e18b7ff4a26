// LDL^T factorizations: LAPACK's form, solutions, gradients and errors.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
using test::error_message;

const TensorOptions kFloat64{.dtype = float64};

/// Returns symmetric, indefinite matrices, some with zeros on the diagonal.
Tensor indefinite(const Shape& shape) {
  manual_seed(5);
  const Tensor x = randn(shape, kFloat64);
  return x + x.mT() -
         diag_embed(x.diagonal(0, -2, -1)) * 2 * (x.diagonal(0, -2, -1).gt(0)).unsqueeze(-1);
}

// The values of torch.linalg.ldl_factor: a block of two rows, and one of one row.
TEST(Ldl, FactorsInFormOfLapack) {
  const Tensor a = tensor({{0., 2., 1.}, {2., 0., 3.}, {1., 3., 1.}});
  const auto [ld, pivots] = linalg::ldl_factor(a);
  EXPECT_TRUE(allclose(ld, tensor({{0., 0., 0.}, {2., 0., 0.}, {1.5, 0.5, -2.}})));
  EXPECT_TRUE(equal(pivots, tensor({-2, -2, 3}).to(int32)));
  // Exchanges row 0 with the row of the largest diagonal element.
  const auto [one, rows] = linalg::ldl_factor(tensor({{1., 0.}, {8., 9.}}));
  EXPECT_TRUE(equal(rows, tensor({2, 2}).to(int32)));
  EXPECT_TRUE(allclose(one, tensor({{9., 0.}, {8. / 9, 1 - 64. / 9}})));
  EXPECT_EQ(linalg::ldl_factor(zeros({2, 0, 0})).second.shape(), Shape({2, 0}));
}

TEST(Ldl, SolvesSystems) {
  for (const Shape& shape : {Shape{5, 5}, Shape{3, 6, 6}, Shape{40, 40}}) {
    const Tensor a = indefinite(shape), b = randn({shape.back(), 2}, kFloat64);
    const auto [ld, pivots, info] = linalg::ldl_factor_ex(a, true);
    EXPECT_FALSE(info.any().item<bool>());
    const Tensor x = linalg::ldl_solve(ld, pivots, b);
    EXPECT_TRUE(allclose(a.matmul(x), b.expand(x.shape()), 1e-8, 1e-9));
    EXPECT_TRUE(equal(x, linalg::ldl_solve(ld, pivots.to(int64), b, true)));
  }
  // The batch of B is the larger one.
  const auto [ld, pivots] = linalg::ldl_factor(indefinite({3, 3}));
  EXPECT_EQ(linalg::ldl_solve(ld, pivots, ones({4, 3, 2}, kFloat64)).shape(), Shape({4, 3, 2}));
}

TEST(Ldl, SolveIsDifferentiableWithRespectToB) {
  const auto [ld, pivots] = linalg::ldl_factor(indefinite({2, 4, 4}));
  const Tensor b = randn({4, 2}, kFloat64).requires_grad_();
  EXPECT_TRUE(autograd::gradcheck(
      [ld = ld, pivots = pivots](const Tensor& t) { return linalg::ldl_solve(ld, pivots, t); }, b));
  const Tensor factor = ld.clone().requires_grad_();
  EXPECT_THROW(linalg::ldl_solve(factor, pivots, b).sum().backward(), NotImplementedError);
}

TEST(Ldl, ReportsZeroPivots) {
  const Tensor bad = stack({eye(2), zeros({2, 2})});
  EXPECT_TRUE(equal(std::get<2>(linalg::ldl_factor_ex(bad)), tensor({0, 1}).to(int32)));
  EXPECT_EQ(
      error_message<linalg::LinAlgError>([&] { return linalg::ldl_factor(bad); }),
      "linalg.ldl_factor: (Batch element 1): D[1,1] is zero and using it in ldl_solve would "
      "result in a division by zero. If you still want to perform the factorization, consider "
      "calling linalg.ldl_factor_ex(A)");
  const auto [ld, pivots, info] = linalg::ldl_factor_ex(full({3, 3}, NAN));
  EXPECT_TRUE(ld.tril().isnan().any().item<bool>());
}

TEST(Ldl, RejectsInvalidInput) {
  const Tensor a = eye(3), b = ones({3, 1}), pivots = tensor({1, 2, 3});
  const auto solve = [](const Tensor& ld, const Tensor& p, const Tensor& x) {
    return linalg::ldl_solve(ld, p, x);
  };
  EXPECT_THROW(linalg::ldl_factor(ones({2, 3})), ShapeError);
  EXPECT_THROW(linalg::ldl_factor(ones({3})), ShapeError);
  EXPECT_THROW(linalg::ldl_factor(a.to(float16)), DTypeError);
  EXPECT_THROW(solve(a, pivots, ones({3})), ShapeError);
  EXPECT_THROW(solve(a, pivots, ones({4, 1})), ShapeError);
  EXPECT_THROW(solve(a, tensor({1, 2}), b), ShapeError);
  EXPECT_THROW(solve(a.expand({2, 3, 3}), pivots, b), ShapeError);
  EXPECT_THROW(solve(a, pivots, b.to(float64)), DTypeError);
  EXPECT_THROW(solve(a, pivots.to(float32), b), DTypeError);
  for (const Tensor& wrong : {tensor({0, 2, 3}), tensor({1, 2, 4}), tensor({1, -2, 3}),
                              tensor({1, 2, -3}), tensor({-1, -2, 3})})
    EXPECT_THROW(solve(a, wrong, b), ValueError);
}

}  // namespace
