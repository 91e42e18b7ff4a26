// Decompositions: products of the factors, conventions of LAPACK, gradients of symmetric matrices
// and errors.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/autograd/gradcheck.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/ops/decomposition.h"

namespace {

using namespace taper;
using test::error_message;

const TensorOptions kOfDoubles{.dtype = float64};

Tensor normal(const Shape& shape) {
  manual_seed(3);
  return randn(shape, kOfDoubles);
}
Tensor positive_definite(std::int64_t n) {
  const Tensor x = normal({2, n, n});
  return x.matmul(x.mT()) + eye(n, n, kOfDoubles);
}
void expect_close(const Tensor& a, const Tensor& b) { EXPECT_TRUE(allclose(a, b, 1e-10, 1e-11)); }

TEST(Decompositions, ProductsOfFactorsAreTheMatrix) {
  for (const Shape& shape : {Shape{2, 5, 3}, Shape{2, 3, 5}, Shape{70, 70}}) {
    const Tensor a = normal(shape);
    for (const char* mode : {"reduced", "complete"}) {
      const auto [q, r] = linalg::qr(a, mode);
      expect_close(q.matmul(r), a);
      expect_close(q.mT().matmul(q),
                   eye(q.size(-1), q.size(-1), kOfDoubles).expand(q.mT().matmul(q).shape()));
      EXPECT_TRUE(equal(r, r.triu()));
    }
    EXPECT_TRUE(allclose(linalg::qr(a, "r").second, linalg::qr(a).second));
    EXPECT_EQ(linalg::qr(a, "r").first.shape(), Shape(0));
    const auto [u, s, vh] = linalg::svd(a, false);
    expect_close((u * s.unsqueeze(-2)).matmul(vh), a);
    expect_close(linalg::svdvals(a), s);
    const auto [p, l, upper] = linalg::lu(a);
    expect_close(p.matmul(l).matmul(upper), a);
    expect_close(a.matmul(linalg::pinv(a)).matmul(a), a);
  }
  const Tensor a = positive_definite(4), symmetric = normal({3, 4, 4});
  expect_close(linalg::cholesky(a).matmul(linalg::cholesky(a).mT()), a);
  expect_close(linalg::cholesky(a, true), linalg::cholesky(a).mT());
  for (const char* triangle : {"L", "U"}) {
    const auto [values, v] = linalg::eigh(symmetric, triangle);
    const Tensor side = *triangle == 'L' ? symmetric.tril() : symmetric.triu();
    const Tensor full = side + side.mT() - diag_embed(side.diagonal(0, -2, -1));
    expect_close(linalg::eigvalsh(symmetric, triangle), values);
    expect_close((v * values.unsqueeze(-2)).matmul(v.mT()), full);
  }
  expect_close(linalg::inv(a).matmul(a), eye(4, 4, kOfDoubles).expand({2, 4, 4}));
  expect_close(linalg::det(a), linalg::slogdet(a).second.exp());
  expect_close(logdet(a), linalg::det(a).log());
  const Tensor root = linalg::matrix_sqrth(a);
  expect_close(root.matmul(root), a);
}

TEST(Decompositions, SystemsAreSolved) {
  const Tensor a = normal({5, 3}), b = normal({5, 2});
  for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
    const auto [x, residuals, rank, values] = linalg::lstsq(a, b, {}, driver);
    expect_close(x, linalg::pinv(a).matmul(b));
  }
  const Tensor square = normal({3, 3});
  const auto [lu, pivots] = linalg::lu_factor(square);
  expect_close(square.matmul(linalg::lu_solve(lu, pivots, a.mT().narrow(0, 0, 3))), a.mT());
  expect_close(linalg::lu_solve(lu, pivots, a, false).matmul(square), a);
  expect_close(square.mT().matmul(linalg::lu_solve(lu, pivots, a.mT(), true, true)), a.mT());
  expect_close(linalg::solve(square, a, false).matmul(square), a);
  expect_close(linalg::matrix_power(square, -2).matmul(square).matmul(square),
               eye(3, 3, kOfDoubles));
}

TEST(Decompositions, GradientsOfSymmetricMatricesAreThoseOfDifferences) {
  using autograd::gradcheck;
  const auto symmetric = [](const Tensor& x) { return x + x.mT() + 4 * eye(3, 3, kOfDoubles); };
  const Tensor x = (normal({3, 3}) * 0.5).detach().requires_grad_();
  const auto check = [&](auto f) {
    EXPECT_TRUE(gradcheck([&](const Tensor& at) -> Tensor { return f(symmetric(at)); }, x));
  };
  check([](const Tensor& a) { return linalg::cholesky(a); });
  check([](const Tensor& a) { return linalg::cholesky(a, true); });
  check([](const Tensor& a) { return linalg::eigvalsh(a); });
  check([](const Tensor& a) { return linalg::eigh(a).second.square(); });
  check([](const Tensor& a) { return linalg::matrix_sqrth(a); });
  check([](const Tensor& a) { return linalg::pinv(a, 0.0, 1e-12, true); });
}

TEST(Decompositions, DetOfSingularMatrixHasCofactorsAsGradient) {
  const Tensor a = tensor({{1., 2.}, {2., 4.}}, kOfDoubles).requires_grad_();
  linalg::det(a).backward();
  expect_close(a.grad(), tensor({{4., -2.}, {-2., 1.}}, kOfDoubles));
}

TEST(Decompositions, ErrorsNameTheBatchElement) {
  const Tensor bad = stack({eye(2), tensor({{1., 2.}, {2., 1.}})});
  EXPECT_EQ(error_message<RuntimeError>([&] { linalg::cholesky(bad); }),
            "linalg.cholesky: (Batch element 1): The factorization could not be completed because "
            "the input is not positive-definite (the leading minor of order 2 is not "
            "positive-definite).");
  EXPECT_EQ(error_message<RuntimeError>([] {
              linalg::inv(zeros({2, 2}));
            }),
            "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed "
            "because the input matrix is singular.");
  EXPECT_THROW(linalg::inv(zeros({2, 2})), linalg::LinAlgError);
  EXPECT_TRUE(equal(linalg::cholesky_ex(bad).second, tensor({0, 2}).to(int32)));
  EXPECT_THROW(linalg::svdvals(full({2, 2}, NAN)), RuntimeError);
  EXPECT_THROW(linalg::eigh(full({2, 2}, NAN)), RuntimeError);
  EXPECT_THROW(linalg::eigh(eye(2), "X"), ValueError);
  EXPECT_THROW(linalg::det(ones({2, 3})), ShapeError);
  EXPECT_THROW(linalg::det(eye(2).to(float16)), DTypeError);
  EXPECT_THROW(linalg::qr(eye(2), "full"), ValueError);
  EXPECT_THROW(linalg::lu_factor(eye(2), false), NotImplementedError);
}

TEST(Decompositions, AcceptEmptyMatrices) {
  EXPECT_EQ(linalg::det(zeros({2, 0, 0})).shape(), Shape({2}));
  EXPECT_EQ(linalg::det(zeros({0, 0})).item<float>(), 1);
  EXPECT_EQ(std::get<0>(linalg::svd(zeros({3, 0}))).shape(), Shape({3, 3}));
  EXPECT_TRUE(equal(linalg::qr(zeros({3, 0}), "complete").first, eye(3)));
  EXPECT_EQ(linalg::pinv(zeros({2, 3, 0})).shape(), Shape({2, 0, 3}));
  const Tensor element = full({1, 1}, 3.0).set_requires_grad();
  EXPECT_EQ(autograd::grad(linalg::det(element), element).item<float>(), 1);
  EXPECT_EQ(linalg::solve(eye(3), zeros({3, 0})).shape(), Shape({3, 0}));
  for (const char* driver : {"gels", "gelsy", "gelsd"})
    EXPECT_EQ(std::get<0>(linalg::lstsq(eye(3), zeros({3, 0}), {}, driver)).shape(), Shape({3, 0}));
  EXPECT_EQ(linalg::inv(zeros({0, 3, 3})).shape(), Shape({0, 3, 3}));
}

TEST(Linalg, TakesTolerancesAsNumbersOrTensors) {
  const Tensor a = diag(tensor({4.0, 1.0, 0.5}, {.dtype = DType::f64}));
  const Tensor limit = full({}, 0.75, {.dtype = DType::f64});
  for (const linalg::Tolerance& atol : {linalg::Tolerance(0.75), linalg::Tolerance(limit)}) {
    EXPECT_EQ(linalg::matrix_rank(a, atol).item<std::int64_t>(), 2);
    EXPECT_EQ(linalg::matrix_rank(a, {}, atol).item<std::int64_t>(), 1);
    EXPECT_EQ(linalg::matrix_rank(a, atol, 0.5, true).item<std::int64_t>(), 1);
    expect_close(linalg::pinv(a, atol, limit * 0, true),
                 diag(tensor({0.25, 1.0, 0.0}, {.dtype = DType::f64})));
  }
  EXPECT_EQ(linalg::matrix_rank(a, {}, {}, true).item<std::int64_t>(), 3);
  EXPECT_EQ(error_message<ValueError>([] { linalg::matrix_rank(eye(2), Tensor()); }),
            "Tolerance: the tensor is undefined");
}

TEST(MatrixNorm, MatchesSingularValues) {
  const Tensor a = normal({4, 3}), s = linalg::svdvals(a);
  expect_close(linalg::matrix_norm(a, "nuc"), s.sum());
  expect_close(linalg::matrix_norm(a), s.square().sum().sqrt());
  expect_close(linalg::norm(a, Scalar(2)), s.amax(-1));
  expect_close(linalg::cond(a), s[0] / s[2]);
  expect_close(linalg::norm(a, Scalar(1)), a.abs().sum(0).amax(-1));
  expect_close(linalg::norm(a, Scalar(INFINITY)), a.abs().sum(1).amax(-1));
  EXPECT_EQ(linalg::matrix_rank(a).item<std::int64_t>(), 3);
  EXPECT_THROW(linalg::matrix_norm(a, "abc"), ValueError);
}

}  // namespace
