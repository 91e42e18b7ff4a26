// Systems of equations: batches whose size equals that of the matrices, vectors and matrices as
// right sides, and rejected arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/distributions/distributions.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
using test::error_message;

constexpr std::int64_t kSize = 3;

/// Lower factors of kSize matrices of kSize x kSize.
Tensor batch_of_factors() {
  manual_seed(5);
  return randn({kSize, kSize, kSize}, {.dtype = float64}).tril() +
         3 * eye(kSize, kSize, {.dtype = float64});
}
Tensor right_sides(std::int64_t columns) {
  manual_seed(6);
  return randn({kSize, columns}, {.dtype = float64});
}

/// Applies a function to each factor and stacks the results.
Tensor for_each_factor(const Tensor& factors, const std::function<Tensor(const Tensor&)>& f) {
  std::vector<Tensor> results;
  for (std::int64_t i = 0; i < factors.size(0); ++i) results.push_back(f(factors[i]));
  return stack(results);
}

/// Compares a function of a batch, with and without gradients, with the function of each factor.
void expect_batched(const std::function<Tensor(const Tensor&)>& f) {
  const Tensor factors = batch_of_factors(), leaf = factors.clone().set_requires_grad(),
               other = factors.clone().set_requires_grad();
  const Tensor expected = for_each_factor(other, f), value = f(leaf);
  EXPECT_EQ(value.shape(), expected.shape());
  EXPECT_TRUE(allclose(f(factors), expected, 1e-10, 1e-12));
  EXPECT_TRUE(allclose(value, expected, 1e-10, 1e-12));
  const Tensor weight = arange(value.numel(), {.dtype = float64}).reshape(value.shape());
  EXPECT_TRUE(allclose(autograd::grad((value * weight).sum(), leaf),
                       autograd::grad((expected * weight).sum(), other), 1e-9, 1e-11));
}

// A matrix of n x n beside n matrices has the shape of n vectors.
TEST(CholeskySolve, InterpretsRightSidesAsMatrices) {
  for (const std::int64_t columns : {std::int64_t{1}, kSize, std::int64_t{5}})
    for (const bool upper : {false, true})
      expect_batched([&](const Tensor& l) {
        return cholesky_solve(right_sides(columns), upper ? l.mT() : l, upper);
      });
}

TEST(CholeskyInverse, InvertsAsManyMatricesAsTheyHaveRows) {
  expect_batched([](const Tensor& l) { return cholesky_inverse(l); });
  expect_batched([](const Tensor& l) { return cholesky_inverse(l.mT(), true); });
}

TEST(MultivariateNormal, HasPrecisionMatricesOfDifferentiableFactors) {
  const Tensor factors = batch_of_factors(), leaf = factors.clone().set_requires_grad();
  const auto precision = [](const Tensor& l) {
    return distributions::MultivariateNormal(zeros({kSize, kSize}, {.dtype = float64}),
                                             {.scale_tril = l}, false)
        .precision_matrix();
  };
  EXPECT_EQ(precision(leaf).shape(), Shape({kSize, kSize, kSize}));
  EXPECT_TRUE(allclose(precision(leaf), precision(factors), 1e-10, 1e-12));
}

TEST(CholeskySolve, RejectsShapes) {
  const Tensor one = eye(3), batch = ones({3, 2, 2});
  // With or without a gradient.
  for (const Tensor& l : {one, one.clone().set_requires_grad()}) {
    EXPECT_EQ(error_message<ShapeError>([&] { return cholesky_solve(ones({3}), l); }),
              "cholesky_solve: b should have at least 2 dimensions, but has 1 dimensions instead");
    EXPECT_EQ(
        error_message<ShapeError>([&] {
          cholesky_solve(ones({4, 3}), l);
        }),
        "cholesky_solve: Incompatible matrix sizes: each A matrix is 3 by 3 but each b matrix "
        "is 4 by 3");
  }
  // These would be vectors of a batch.
  EXPECT_EQ(error_message<ShapeError>([&] {
              cholesky_solve(ones({3, 2}), batch.clone().set_requires_grad());
            }),
            "cholesky_solve: Incompatible matrix sizes: each A matrix is 2 by 2 but each b matrix "
            "is 3 by 2");
  EXPECT_EQ(error_message<ShapeError>([&] { return cholesky_solve(one, ones({3})); }),
            "cholesky_solve: u should have at least 2 dimensions, but has 1 dimensions instead");
  EXPECT_EQ(error_message<ShapeError>([&] {
              cholesky_solve(one, ones({3, 2}));
            }),
            "cholesky_solve: A must be batches of square matrices, but they are 3 by 2 matrices");
}

// The texts are those of PyTorch 2.15.
TEST(CholeskyInverse, RejectsZerosOnTheDiagonal) {
  const Tensor singular = tensor({{1.0, 0.0}, {1.0, 0.0}}), regular = eye(2);
  for (const Tensor& l : {singular, singular.clone().set_requires_grad()})
    EXPECT_EQ(error_message<linalg::LinAlgError>([&] { return cholesky_inverse(l); }),
              "cholesky_inverse: The diagonal element 2 is zero, the inversion could not be "
              "completed because the input matrix is singular.");
  EXPECT_EQ(error_message<linalg::LinAlgError>([&] {
              cholesky_inverse(stack({regular, singular, regular}), true);
            }),
            "cholesky_inverse: (Batch element 1): The diagonal element 2 is zero, the inversion "
            "could not be completed because the input matrix is singular.");
  EXPECT_EQ(error_message<linalg::LinAlgError>([&] {
              cholesky_inverse(zeros({2, 2}));
            }),
            "cholesky_inverse: The diagonal element 1 is zero, the inversion could not be "
            "completed because the input matrix is singular.");
  EXPECT_TRUE(cholesky_inverse(regular * std::numeric_limits<float>::quiet_NaN())
                  .diagonal()
                  .isnan()
                  .all()
                  .item<bool>());
  EXPECT_EQ(cholesky_inverse(zeros({0, 0})).shape(), Shape({0, 0}));
  EXPECT_EQ(cholesky_inverse(zeros({0, 2, 2})).shape(), Shape({0, 2, 2}));
  EXPECT_THROW(static_cast<void>(cholesky_inverse(ones({2}))), ShapeError);
  EXPECT_THROW(static_cast<void>(cholesky_inverse(ones({2, 3}))), ShapeError);
}

// As in PyTorch, vectors have the shape of the matrices without the last dimension; other right
// sides are matrices, whose batch is broadcast.
TEST(Lstsq, DistinguishesVectorsByTheShape) {
  const Tensor a = batch_of_factors(), b = right_sides(kSize);
  const Tensor vectors = std::get<0>(linalg::lstsq(a, b));
  EXPECT_EQ(vectors.shape(), Shape({kSize, kSize}));
  EXPECT_TRUE(allclose(a.matmul(vectors.unsqueeze(-1)).squeeze(-1), b, 1e-9, 1e-11));
  const Tensor matrix = std::get<0>(linalg::lstsq(a[0], b));
  EXPECT_TRUE(allclose(a[0].matmul(matrix), b, 1e-9, 1e-11));
  for (const std::int64_t columns : {1, 2, 5}) {
    const Tensor y = right_sides(columns);
    const auto [x, residuals, rank, values] = linalg::lstsq(a, y, {}, "gelsd");
    EXPECT_EQ(x.shape(), Shape({kSize, kSize, columns}));
    EXPECT_TRUE(allclose(a.matmul(x), y.expand(x.shape()), 1e-9, 1e-11));
  }
  // Ranks and singular values are those of the given matrices, not of their expansion.
  const auto [x, residuals, rank, values] = linalg::lstsq(a.slice(0, 0, 1), b, {}, "gelsd");
  EXPECT_EQ(x.shape(), Shape({1, kSize, kSize}));
  const auto [more, more_residuals, more_rank, more_values] =
      linalg::lstsq(a.slice(0, 0, 1), a, {}, "gelsd");
  EXPECT_EQ(more.shape(), Shape({kSize, kSize, kSize}));
  EXPECT_TRUE(more_rank.equal(tensor({kSize})));
  EXPECT_TRUE(allclose(more_values, linalg::svdvals(a.slice(0, 0, 1)), 1e-9, 1e-11));
  EXPECT_EQ(error_message<ShapeError>([&] { return linalg::lstsq(a, b[0]); }),
            "linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - "
            "other.dim()) <= 1: got shapes [3, 3, 3] and [3]");
  EXPECT_THROW(linalg::lstsq(a[0], a), ShapeError);
  EXPECT_THROW(linalg::lstsq(a, b.slice(0, 0, 1)), ShapeError);
  EXPECT_THROW(linalg::lstsq(a[0], full({}, 1.0, {.dtype = float64})), ShapeError);
}

TEST(SolveTriangular, ConvertsRightSidesToTheDtypeOfTheMatrix) {
  const Tensor a = tensor({{2.0, 1.0}, {0.0, 4.0}}, {.dtype = float64});
  const Tensor x = linalg::solve_triangular(a, tensor({{3.f}, {5.f}}), true);
  EXPECT_EQ(x.dtype(), DType::f64);
  EXPECT_TRUE(x.equal(tensor({{0.875}, {1.25}}, {.dtype = float64})));
  const Tensor y = linalg::solve_triangular(a.to(float32), tensor({{3}, {5}}), true);
  EXPECT_TRUE(y.equal(tensor({{0.875f}, {1.25f}})));
}

TEST(TriangularSolve, ReturnsTheBroadcastMatrix) {
  const Tensor a = batch_of_factors(), b = right_sides(2);
  EXPECT_EQ(triangular_solve(b, a, false).second.shape(), a.shape());
  const auto [x, matrix] = triangular_solve(b.expand({4, kSize, 2}), a[0], false);
  EXPECT_TRUE(matrix.equal(a[0].expand({4, kSize, kSize})));
}

TEST(Ormqr, RejectsOtherBatches) {
  const Tensor input = ones({2, 3, 3}), tau = ones({2, 3}), other = ones({2, 3, 2});
  EXPECT_EQ(ormqr(input, tau, other).shape(), Shape({2, 3, 2}));
  EXPECT_EQ(error_message<ShapeError>([&] { return ormqr(input, tau, other[0]); }),
            "ormqr: Expected input, tau and other with the same batch dimensions, where tau has "
            "one dimension less: got shapes [2, 3, 3], [2, 3] and [3, 2]");
  EXPECT_THROW(ormqr(input, tau.slice(0, 0, 1), other), ShapeError);
  EXPECT_THROW(ormqr(input.slice(0, 0, 1), tau.slice(0, 0, 1), other), ShapeError);
}

// The dimension is chosen by the first operand, before broadcasting.
TEST(Cross, UsesTheFirstDimensionOfSizeThreeOfItsInput) {
  const Tensor x = tensor({{1.0, 0.0, 0.0}}), y = tensor({{0.0, 1.0, 0.0}}).expand({3, 3});
  EXPECT_TRUE(cross(x, y).equal(tensor({{0.0, 0.0, 1.0}}).expand({3, 3})));
  EXPECT_EQ(cross(ones({1, 3, 3}), ones({3, 3, 1})).shape(), Shape({3, 3, 3}));
  EXPECT_THROW(cross(y, x), ShapeError);
  EXPECT_THROW(cross(ones({1}), ones({3})), ShapeError);
}

// As in PyTorch, only the smallest singular value or sum of an empty matrix is undefined.
TEST(MatrixNorm, IsZeroWithoutElements) {
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{0, 0}, Shape{2, 0, 3}}) {
    const Tensor a = zeros(shape);
    Shape batch = shape;
    batch.erase(batch.size() - 1), batch.erase(batch.size() - 1);
    for (const double p : {1.0, 2.0, std::numeric_limits<double>::infinity()}) {
      const Tensor norm = linalg::matrix_norm(a, p);
      EXPECT_TRUE(norm.equal(zeros(batch))) << shape.str() << ", " << p;
    }
    EXPECT_THROW(linalg::matrix_norm(a, -2.0), Error) << shape.str();
  }
  EXPECT_TRUE(linalg::matrix_norm(zeros({0, 3}), -1.0).equal(full({}, 0.0)));
  EXPECT_THROW(linalg::matrix_norm(zeros({3, 0}), -1.0), Error);
}

}  // namespace
