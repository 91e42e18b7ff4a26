// Triangles, diagonals, matrix functions, linear systems and QR decompositions. Expected values are
// PyTorch's.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"
#include "taper/ops/linalg.h"

namespace {

using namespace taper;
using test::error_message;

const TensorOptions kDouble{.dtype = float64};

Tensor square() { return tensor({{1., 2., -3.}, {.5, -1., 4.}, {2., 0., 1.}}, kDouble); }

TEST(Triangles, KeepOneSideOfDiagonal) {
  const Tensor a = arange(1, 10).view({3, 3});
  EXPECT_TRUE(equal(a.triu(), tensor({{1, 2, 3}, {0, 5, 6}, {0, 0, 9}})));
  EXPECT_TRUE(equal(a.triu(1), tensor({{0, 2, 3}, {0, 0, 6}, {0, 0, 0}})));
  EXPECT_TRUE(equal(a.tril(-1), tensor({{0, 0, 0}, {4, 0, 0}, {7, 8, 0}})));
  EXPECT_TRUE(equal(tril(a, 1) + triu(a, 2), a));
  EXPECT_EQ(error_message<ShapeError>([] { ones({3}).triu(); }),
            "triu: input tensor must have at least 2 dimensions: got shape [3]");
}

TEST(Diagonal, ReturnsView) {
  const Tensor a = zeros({2, 3, 4});
  const Tensor d = a.diagonal(1, 1, 2);
  EXPECT_EQ(d.shape(), Shape({2, 3}));
  d.fill_(1);
  EXPECT_EQ(a.sum().item<float>(), 6);
  EXPECT_EQ(a[1][2][3].item<float>(), 1);
  EXPECT_EQ(a.diagonal(7, 1, 2).numel(), 0);
  EXPECT_THROW(ones({3}).diagonal(), IndexError);
  EXPECT_THROW(a.diagonal(0, 1, 1), IndexError);
}

TEST(MatrixExp, MatchesPyTorch) {
  const Tensor small = tensor({{0.82174435595641970, 1.23601686664714361, -0.70179024837824466},
                               {4.91794442303165891, 3.04243264408668157, 1.60785744459994162},
                               {3.54048696983208000, 2.30447010318493639, 0.24562683016018949}},
                              kDouble);
  EXPECT_TRUE(allclose(square().matrix_exp(), small, 1e-13, 1e-14));
  const Tensor large =
      tensor({{1.70303710644696484e+13, 1.30624958009656367e+13, 1.90753660840224780e+12},
              {8.92707451896439062e+13, 6.84717161930558906e+13, 9.99903136954330859e+12},
              {5.60650564206668281e+13, 4.30025606197012422e+13, 6.27973090954433691e+12}},
             kDouble);
  EXPECT_TRUE(allclose(matrix_exp(square() * 20), large, 1e-11));
  const Tensor batch = stack({square(), zeros({3, 3}, kDouble)}).matrix_exp();
  EXPECT_TRUE(allclose(batch[0], small) && allclose(batch[1], eye(3, 3, kDouble)));
  EXPECT_TRUE(isnan(matrix_exp(full({2, 2}, NAN))).all().item<bool>());
  EXPECT_EQ(
      error_message<ShapeError>([] {
        ones({2, 3}).matrix_exp();
      }),
      "linalg.matrix_exp: A must be batches of square matrices, but they are 2 by 3 matrices");
}

TEST(Solve, InvertsMatmul) {
  manual_seed(0);
  const Tensor a = randn({2, 5, 5}, kDouble), x = randn({2, 5, 3}, kDouble);
  EXPECT_TRUE(allclose(linalg::solve(a, a.matmul(x)), x, 1e-10));
  EXPECT_TRUE(allclose(linalg::solve(a[0], a[0].mv(x[0].select(1, 0))), x[0].select(1, 0), 1e-10));
  EXPECT_TRUE(allclose(linalg::solve(a, a.matmul(x).select(2, 0)), x.select(2, 0), 1e-10));
  EXPECT_TRUE(allclose(linalg::solve(a, a.matmul(x[0])), x[0].expand({2, 5, 3}), 1e-10));
  // The first pivot is 0, so rows must be swapped.
  const Tensor turned = tensor({{0., 1.}, {2., 0.}}, kDouble);
  EXPECT_TRUE(
      allclose(linalg::solve(turned, tensor({3., 4.}, kDouble)), tensor({2., 3.}, kDouble)));
}

TEST(Solve, RejectsSingularMatrices) {
  EXPECT_EQ(error_message<RuntimeError>([] {
              linalg::solve(zeros({2, 2}), ones({2}));
            }),
            "linalg.solve: The solver failed because the input matrix is singular.");
  EXPECT_EQ(error_message<RuntimeError>([] {
              linalg::solve(zeros({1, 2, 2}), ones({1, 2, 2}));
            }),
            "linalg.solve: (Batch element 0): The solver failed because the input matrix is "
            "singular.");
  EXPECT_THROW(linalg::solve(ones({2, 3}), ones({2})), ShapeError);
  EXPECT_THROW(linalg::solve(eye(2), ones({3})), ShapeError);
  EXPECT_THROW(linalg::solve(eye(2), ones({2}, kDouble)), DTypeError);
  EXPECT_THROW(linalg::solve(eye(2).to(int64), ones({2}).to(int64)), DTypeError);
}

TEST(Geqrf, HasSignsOfLapack) {
  const Tensor b = tensor({{1., 2.}, {3., -1.}, {0., 5.}, {2., 2.}}, kDouble);
  const auto [a, tau] = geqrf(b);
  EXPECT_TRUE(allclose(a,
                       tensor({{-3.74165738677394177, -0.80178372573727286},
                               {0.63269016617860185, 5.77556428906672803},
                               {0.00000000000000000, -0.58491673118881649},
                               {0.42179344411906788, -0.09571881459827167}},
                              kDouble),
                       1e-13, 1e-15));
  EXPECT_TRUE(allclose(tau, tensor({1.26726124191242429, 1.48006755223587882}, kDouble), 1e-14));
  const Tensor q = linalg::householder_product(a, tau);
  EXPECT_TRUE(allclose(q.t().matmul(q), eye(2, 2, kDouble), 1e-13, 1e-15));
  EXPECT_TRUE(allclose(q.matmul(a.narrow(0, 0, 2).triu()), b, 1e-13, 1e-14));
  // A column with zeros below the diagonal needs no reflection, even if its diagonal is negative.
  const auto [r, none] = geqrf(tensor({{-2., 1.}, {0., 3.}}, kDouble));
  EXPECT_TRUE(equal(r, tensor({{-2., 1.}, {0., 3.}}, kDouble)));
  EXPECT_TRUE(equal(none, zeros({2}, kDouble)));
  EXPECT_EQ(geqrf(ones({5, 2, 4})).second.shape(), Shape({5, 2}));
}

TEST(HouseholderProduct, RejectsMismatchedShapes) {
  EXPECT_THROW(linalg::householder_product(ones({2, 3}), ones({2})), ShapeError);
  EXPECT_THROW(linalg::householder_product(ones({3, 2}), ones({3})), ShapeError);
  EXPECT_THROW(linalg::householder_product(ones({3, 2}), ones({2, 2})), ShapeError);
  EXPECT_THROW(linalg::householder_product(ones({4, 3, 2}), ones({5, 2})), ShapeError);
}

TEST(MatrixFunctions, NodesHaveNamesOfPyTorch) {
  const Tensor x = eye(2).requires_grad_();
  EXPECT_EQ(x.matrix_exp().grad_fn().name(), "LinalgMatrixExpBackward0");
  EXPECT_EQ(linalg::solve(x, x).grad_fn().name(), "LinalgSolveExBackward0");
  EXPECT_EQ(linalg::householder_product(x, ones({2})).grad_fn().name(),
            "LinalgHouseholderProductBackward0");
  EXPECT_EQ(x.triu().grad_fn().name(), "TriuBackward0");
  EXPECT_EQ(x.diagonal().grad_fn().name(), "DiagonalBackward0");
}

TEST(MatrixSqrth, SemidefiniteMatrices) {
  // Rounding makes eigenvalues of 0 negative.
  for (const TensorOptions& options : {TensorOptions{}, kDouble}) {
    const Tensor x = linalg::matrix_sqrth(ones({8, 8}, options));
    EXPECT_TRUE(allclose(x, full({8, 8}, 1 / std::sqrt(8.0), options), 0, 1e-3)) << x.str();
  }
  manual_seed(0);
  const Tensor v = randn({50, 6, 3}, kDouble), a = v.matmul(v.mT());
  const Tensor x = linalg::matrix_sqrth(a);
  EXPECT_TRUE(allclose(x.matmul(x), a, 1e-8, 1e-7));
  // As in PyTorch, other negative eigenvalues also count as 0.
  EXPECT_TRUE(
      allclose(linalg::matrix_sqrth(tensor({{4., 0.}, {0., -9.}})), tensor({{2., 0.}, {0., 0.}})));
  EXPECT_TRUE(equal(linalg::matrix_sqrth(zeros({3, 3})), zeros({3, 3})));
}

TEST(MatrixSqrth, GradientOfRepeatedEigenvalues) {
  // The root of 2 I has the derivative dX = dA / (2 sqrt(2)).
  const Tensor a = eye(3, 3, kDouble).mul(2).set_requires_grad();
  const Tensor weights = arange(9.0, kDouble).reshape({3, 3});
  const Tensor g = autograd::grad((linalg::matrix_sqrth(a) * weights).sum(), a);
  EXPECT_TRUE(allclose(g, (weights + weights.t()) / (4 * std::sqrt(2.0)), 1e-12, 1e-12));
  manual_seed(1);
  const Tensor w = randn({2, 4, 4}, kDouble), b = w.matmul(w.mT()) + eye(4, 4, kDouble);
  const auto f = [](const std::vector<Tensor>& in) {
    const Tensor& t = in[0];
    return std::vector<Tensor>{linalg::matrix_sqrth((t + t.mT()) * 0.5)};
  };
  EXPECT_TRUE(autograd::gradcheck(f, {b.detach().set_requires_grad()}));
  EXPECT_TRUE(autograd::gradgradcheck(f, {b.detach().set_requires_grad()}));
}

TEST(Pinv, GradientOfSmallAndLargeMatrices) {
  // With A = s B, the gradient is that of B times s^-2.
  manual_seed(2);
  for (const Shape& shape : {Shape{4, 4}, Shape{3, 5}, Shape{5, 3}}) {
    const Tensor b = randn(shape, kDouble) * 0.1 + eye(shape[0], shape[1], kDouble);
    const auto gradient = [](const Tensor& t) {
      const Tensor leaf = t.detach().clone().set_requires_grad();
      return autograd::grad(linalg::pinv(leaf).sum(), leaf).to(float64);
    };
    const Tensor want = gradient(b);
    for (const double s : {1e-15, 1e15}) {
      const Tensor got = gradient(b.mul(s).to(float32)) * (s * s);
      EXPECT_TRUE(allclose(got, want, 1e-3, 1e-3 * want.abs().max().item<double>())) << s;
    }
  }
}

}  // namespace
