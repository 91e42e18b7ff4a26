// Scans, quantiles, statistics and contractions, with the values of PyTorch.
#include <gtest/gtest.h>

#include <limits>

#include "support/tensors.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::arange_shaped;

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

TEST(Scan, ReturnsLastPositionOfExtremes) {
  const auto [values, indices] = cummax(tensor({1, 3, 3, 2}), 0);
  EXPECT_EQ(values.str(), "tensor([1, 3, 3, 3])");
  EXPECT_EQ(indices.str(), "tensor([0, 1, 2, 2])");
  EXPECT_EQ(cummin(tensor({2.0, kUndefined, 1.0}), 0).first.str(), "tensor([2., nan, nan])");
}

TEST(Scan, DifferentiatesProductsWithZeros) {
  const Tensor x = tensor({2.0, 0.0, 3.0}).requires_grad_();
  cumprod(x, 0).sum().backward();
  EXPECT_EQ(x.grad().str(), "tensor([1., 8., 0.])");
}

TEST(Diff, PrependsAndRepeats) {
  EXPECT_EQ(diff(tensor({1, 3, 2})).str(), "tensor([ 2, -1])");
  EXPECT_EQ(diff(tensor({1, 3, 2}), 2, 0, tensor({0})).str(), "tensor([ 1, -3])");
  EXPECT_EQ(trapezoid(tensor({1.0, 5.0, 10.0})).item<double>(), 10.5);
  EXPECT_EQ(cumulative_trapezoid(tensor({1.0, 5.0, 10.0})).str(), "tensor([ 3.0000, 10.5000])");
  EXPECT_THROW(diff(tensor({1, 2}), -1), ValueError);
}

TEST(Quantile, InterpolatesAndPropagatesNaN) {
  const Tensor x = tensor({{1.0, 2.0, 4.0}, {kUndefined, 3.0, 5.0}});
  EXPECT_EQ(quantile(x, 0.25, 1).str(), "tensor([1.5000,    nan])");
  EXPECT_EQ(nanquantile(x, 0.5, 1).str(), "tensor([2., 4.])");
  EXPECT_EQ(x.quantile(tensor({0.0, 1.0}), 1, true).shape(), Shape({2, 2, 1}));
  EXPECT_EQ(nanmedian(x).item<double>(), 3);
  EXPECT_EQ(nanmean(x, 1).str(), "tensor([2.3333, 4.0000])");
  EXPECT_THROW(quantile(x, 1.5), ValueError);
}

TEST(Einsum, SupportsTheSyntaxOfPyTorch) {
  const Tensor a = arange_shaped({2, 3}), b = arange_shaped({3, 4}), c = arange_shaped({4, 2});
  EXPECT_TRUE(equal(einsum("ij,jk->ik", {a, b}), a.mm(b)));
  EXPECT_TRUE(equal(einsum("ij, jk, kl -> il", {a, b, c}), a.mm(b).mm(c)));
  EXPECT_TRUE(equal(einsum("ji", {a}), a.t()));
  EXPECT_EQ(einsum("ii->", {arange_shaped({3, 3})}).item<double>(), 12);
  EXPECT_TRUE(equal(einsum("...ij->...ji", {a.unsqueeze(0)}), a.t().unsqueeze(0)));
  EXPECT_TRUE(equal(einsum("i,j", {b.select(0, 0), c.select(1, 0)}),
                    outer(b.select(0, 0), c.select(1, 0))));
  EXPECT_THROW(einsum("ij,jk->ik", {a}), ValueError);
  EXPECT_THROW(einsum("ij,jk->ik", {a, c}), ShapeError);
  EXPECT_THROW(einsum("ij->k", {a}), ValueError);
}

TEST(Contractions, MatchMatrixProducts) {
  const Tensor a = arange_shaped({2, 3}), b = arange_shaped({3, 4});
  EXPECT_TRUE(equal(tensordot(a, b, 1), a.mm(b)));
  EXPECT_TRUE(equal(inner(a, b.t()), a.mm(b)));
  EXPECT_TRUE(equal(chain_matmul({a, b, b.t()}), a.mm(b).mm(b.t())));
  EXPECT_EQ(kron(tensor({1, 2}), tensor({1, 10})).str(), "tensor([ 1, 10,  2, 20])");
  EXPECT_EQ(cross(tensor({1, 0, 0}), tensor({0, 1, 0})).str(), "tensor([0, 0, 1])");
  EXPECT_EQ(cdist(tensor({{0.0, 0.0}}), tensor({{3.0, 4.0}})).item<double>(), 5);
  EXPECT_THROW(tensordot(a, b, 2), ShapeError);
}

// A matrix of all pairs of elements would need 40 GB.
TEST(Scan, DifferentiatesProductsWithAZeroInLinearMemory) {
  const std::int64_t n = 100'000, zero = 40'000;
  const Tensor x = ones({n});
  x[zero] = 0;
  x.requires_grad_();
  // The products from the zero on are 0; their derivative with respect to it is 1.
  const Tensor g = autograd::grad(x.cumprod(0).sum(), x);
  EXPECT_EQ(g[zero].item<float>(), static_cast<float>(n - zero));
  EXPECT_EQ(g[0].item<float>(), static_cast<float>(zero));
  EXPECT_EQ(g[zero + 1].item<float>(), 0);
  const Tensor first = autograd::grad(x.prod(), x, {.create_graph = true});
  EXPECT_EQ(first[zero].item<float>(), 1);
  const Tensor second = autograd::grad(first[zero], x);
  EXPECT_EQ(second.sum().item<float>(), static_cast<float>(n - 1));
  EXPECT_EQ(second[zero].item<float>(), 0);
}

}  // namespace
}  // namespace taper
