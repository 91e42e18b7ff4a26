// Reductions: values, ties and kinks, rejected arguments, names of nodes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/warning.h"
#include "taper/ops/decomposition.h"

namespace taper {
namespace {

using test::contains, test::error_text;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Returns the gradient of f at x.
template <class F> Tensor gradient(const NestedList& x, F&& f) {
  const Tensor leaf = tensor(x, {.dtype = float64, .requires_grad = true});
  return autograd::grad(f(leaf), leaf);
}
void expect_values(const Tensor& got, const NestedList& expected) {
  const Tensor want = tensor(expected, {.dtype = got.dtype()});
  ASSERT_EQ(got.shape(), want.shape());
  EXPECT_TRUE(allclose(got, want, 1e-6, 1e-7, true)) << got.str() << " for " << want.str();
}
TEST(Reduce, ComputesVarianceAndStd) {
  const Tensor x = tensor({{1., 2., 4.}, {3., 3., 3.}});
  expect_values(x.var(), 1.0666667);
  expect_values(x.var(1), {2.3333333, 0});
  expect_values(x.var({}, 0), 0.8888889);
  expect_values(x.std(1, 0, true), {{1.2472191}, {0}});
  const auto [deviation, mean] = std_mean(x, 1);
  expect_values(deviation, {1.5275252, 0});
  expect_values(mean, {2.3333333, 3});
  expect_values(var_mean(x).second, 2.6666667);
  EXPECT_TRUE(contains(error_text<NotImplementedError>([] {
                         return tensor({1, 2}).var();
                       }),
                       "only supports floating point dtypes: got int64"));
}

TEST(Reduce, WarnsIfVarianceHasNoDegreesOfFreedom) {
  std::string text;
  const auto old = set_warning_handler([&](const std::string& t) { text = t; });
  EXPECT_TRUE(std::isnan(tensor({1.}).var().item<double>()));
  expect_values(gradient({1., 3.}, [](const Tensor& x) { return x.var({}, 2); }), {kInf, kInf});
  set_warning_handler(old);
  EXPECT_TRUE(contains(text, "var(): degrees of freedom is <= 0"));
}

TEST(Reduce, StdOfEqualElementsHasZeroGradient) {
  expect_values(gradient({2., 2.}, [](const Tensor& x) { return x.std(); }), {0, 0});
}

TEST(Reduce, ComputesNormsOfAnyOrder) {
  const Tensor x = tensor({3., -4., 0.}, {.dtype = float64});
  expect_values(x.norm(), 5.);
  expect_values(x.norm(1), 7.);
  expect_values(x.norm(0), 2.);
  expect_values(linalg::norm(x, 0), 2.);
  expect_values(x.norm(kInf), 4.);
  expect_values(x.norm(-kInf), 0.);
  expect_values(x.norm(3), 4.4979414);
  expect_values(linalg::vector_norm(x.view({3, 1}), 2, 1), {3., 4., 0.});
  EXPECT_EQ(norm(ones({2}), 2, {}, false, float64).dtype(), float64);
  EXPECT_TRUE(std::isnan(tensor({kNaN, 1., 2.}).norm(kInf).item<double>()));
  EXPECT_TRUE(std::isnan(tensor({1., kNaN, 2.}).norm(-kInf).item<double>()));
}

TEST(Reduce, NormsHaveSubgradientsOfPyTorch) {
  const auto at = [](const NestedList& x, double p) {
    return gradient(x, [p](const Tensor& t) { return t.norm(p); });
  };
  for (const double p : {0.5, 1., 1.5, 2., 3., kInf, -kInf}) expect_values(at({0., 0.}, p), {0, 0});
  expect_values(at({0., 2., -2.}, 0.5), {0., 2., -2.});
  expect_values(at({0., 2., -2.}, 1), {0., 1., -1.});
  expect_values(at({0., 2., -2.}, 1.5), {0., 0.7937005, -0.7937005});
  expect_values(at({0., 2., -2.}, kInf), {0., 0.5, -0.5});
}

TEST(Reduce, NormsRejectInvalidArguments) {
  EXPECT_TRUE(contains(error_text<NotImplementedError>([] {
                         return tensor({1, 2}).norm();
                       }),
                       "Expected a floating point tensor as input"));
  EXPECT_TRUE(contains(error_text<DTypeError>([] { return ones({2}).norm(2, {}, false, float16); }),
                       "without narrowing"));
  EXPECT_TRUE(contains(error_text<ValueError>([] {
                         return zeros({0, 3}).norm(kInf, 0);
                       }),
                       "cannot compute the inf norm on the dimension 0"));
  EXPECT_EQ(zeros({0, 3}).norm(kInf, 1).shape(), Shape{0});
  expect_values(zeros({0}).norm(), 0.);
}

TEST(Reduce, LogSumExpDoesNotOverflow) {
  expect_values(tensor({1000., 1000.}).logsumexp(0), 1000.6931);
  expect_values(tensor({-kInf, -kInf}).logsumexp(0), -kInf);
  expect_values(tensor({kInf, 1.}).logsumexp(0), kInf);
  EXPECT_TRUE(std::isnan(tensor({kNaN, 1.}).logsumexp(0).item<double>()));
  expect_values(tensor({true, false}).logsumexp(0), 1.3132617);
  expect_values(zeros({0, 2}).logsumexp(0), {-kInf, -kInf});
}

TEST(Reduce, ExtremaShareGradientAmongTies) {
  expect_values(gradient({1., 3., 3.}, [](const Tensor& x) { return x.max(); }), {0, 0.5, 0.5});
  expect_values(gradient({1., 1., 3.}, [](const Tensor& x) { return x.amin(0); }), {0.5, 0.5, 0});
  expect_values(gradient({1., kNaN, 3.}, [](const Tensor& x) { return x.max(); }), {0, 1, 0});
  expect_values(gradient({{1., 2.}, {2., 2.}},
                         [](const Tensor& x) {
                           return x.amax(Dims{0, 1}, true).sum();
                         }),
                {{0., 1 / 3.}, {1 / 3., 1 / 3.}});
}

TEST(Reduce, BinaryExtremaAreMaximumAndMinimum) {
  const Tensor x = tensor({1., 5.}), y = tensor({3., 2.});
  expect_values(max(x, y), {3., 5.});
  expect_values(x.min(y), {1., 2.});
  expect_values(max(tensor({2, 7, 1})), 7);
  EXPECT_EQ(tensor({true, false}).min().str(), "tensor(False)");
  EXPECT_TRUE(std::isnan(min(tensor({1., kNaN})).item<double>()));
}

// The product of the sizes of the other dimensions is not representable.
TEST(Reduce, SumsEmptyInputWithHugeSizes) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) - 1, kStride = std::int64_t{1} << 41;
  const Tensor x = empty({kLarge, 0, kStride});
  EXPECT_EQ(x.sum().item<float>(), 0);
  EXPECT_EQ(x.sum({0, 2}).shape(), (Shape{0}));
  EXPECT_EQ(x.sum({0}).shape(), (Shape{0, kStride}));
}

TEST(Reduce, ExtremaRejectEmptyInput) {
  EXPECT_TRUE(contains(error_text<IndexError>([] {
                         return zeros({0, 3}).amax(0);
                       }),
                       "Expected reduction dim 0 to have non-zero size"));
  EXPECT_TRUE(contains(error_text<IndexError>([] {
                         return zeros({0, 3}).max();
                       }),
                       "Expected reduction dim to be specified for input.numel() == 0"));
  EXPECT_EQ(zeros({0, 3}).amax(1).shape(), Shape{0});
}

TEST(Reduce, ProductHasGradientWithZeros) {
  const auto product = [](const Tensor& x) { return x.prod(); };
  expect_values(gradient({2., 3., 4.}, product), {12., 8., 6.});
  expect_values(gradient({2., 0., 4.}, product), {0., 8., 0.});
  expect_values(gradient({0., 0., 4.}, product), {0., 0., 0.});
  expect_values(gradient({{2., 0.}, {3., 4.}}, [](const Tensor& x) { return x.prod(1).sum(); }),
                {{0., 2.}, {4., 3.}});
  EXPECT_EQ(tensor({true, true}).prod().str(), "tensor(1)");
  expect_values(zeros({0, 2}).prod(0), {1., 1.});
}

TEST(Reduce, ProductHasSecondGradientWithZeros) {
  const Tensor x = tensor({2., 0., 4., 5.}, {.dtype = float64, .requires_grad = true});
  const Tensor g = autograd::grad(x.prod(), x, {.create_graph = true});
  const Tensor v = tensor({1., 10., 100., 1000.}, {.dtype = float64});
  // d2/dx_i dx_j is the product of the other two elements.
  expect_values(autograd::grad((g * v).sum(), x), {200., 9020., 100., 80.});
}

TEST(Reduce, ComputesAllAnyAndCountNonzero) {
  const Tensor x = tensor({{0., 1., 2.}, {kNaN, 1., 1.}});
  EXPECT_EQ(x.all(1).str(), "tensor([False,  True])");
  EXPECT_EQ(x.any().str(), "tensor(True)");
  EXPECT_EQ(all(x, {0, 1}, true).str(), "tensor([[False]])");
  EXPECT_EQ(tensor({1, 2}, {.dtype = uint8}).all().str(), "tensor(1, dtype=torch.uint8)");
  EXPECT_EQ(zeros({0}).all().str(), "tensor(True)");
  EXPECT_EQ(x.count_nonzero().str(), "tensor(5)");
  EXPECT_EQ(x.count_nonzero(0).str(), "tensor([1, 2, 2])");
  EXPECT_FALSE(x.requires_grad_().all().requires_grad());
}

TEST(Reduce, ComputesCumulativeSums) {
  expect_values(tensor({{1., 2.}, {3., 4.}}).cumsum(0), {{1., 2.}, {4., 6.}});
  EXPECT_EQ(tensor({true, true}).cumsum(0).str(), "tensor([1, 2])");
  expect_values(gradient({1., 2., 3.}, [](const Tensor& x) { return x.cumsum(0).sum(); }),
                {3., 2., 1.});
  EXPECT_TRUE(contains(error_text<IndexError>([] {
                         return ones({2, 2}).cumsum(2);
                       }),
                       "Dimension out of range (expected to be in range of [-2, 1], but got 2)"));
}

TEST(Reduce, SumToSizeOfNoDimensionsConvertsIntegers) {
  EXPECT_EQ(tensor(3, {.dtype = int8}).sum_to_size({}).dtype(), int64);
  EXPECT_EQ(tensor({3, 4}, {.dtype = int8}).sum_to_size({}).item<int>(), 7);
  EXPECT_EQ(tensor(3.f).sum_to_size({}).item<float>(), 3);
}

TEST(Reduce, NanSumTreatsNaNAsZero) {
  expect_values(tensor({1., kNaN, 2.}).nansum(), 3.);
  expect_values(gradient({1., kNaN}, [](const Tensor& x) { return x.nansum(); }), {1., 0.});
  EXPECT_EQ(tensor({1, 2}).nansum().str(), "tensor(3)");
}

TEST(Reduce, NodesHaveNamesOfPyTorch) {
  const Tensor x = ones({2, 3}, {.requires_grad = true});
  const auto name = [](const Tensor& t) { return t.grad_fn().name(); };
  EXPECT_EQ(name(x.var(1)), "VarBackward0");
  EXPECT_EQ(name(x.std()), "StdBackward0");
  EXPECT_EQ(name(var_mean(x).first), "VarMeanBackward0");
  EXPECT_EQ(name(std_mean(x).second), "StdMeanBackward0");
  EXPECT_EQ(name(x.norm()), "LinalgVectorNormBackward0");
  EXPECT_EQ(name(x.logsumexp(1)), "LogsumexpBackward0");
  EXPECT_EQ(name(x.amax()), "AmaxBackward0");
  EXPECT_EQ(name(x.amin(1)), "AminBackward0");
  EXPECT_EQ(name(x.max()), "MaxBackward1");
  EXPECT_EQ(name(x.min()), "MinBackward1");
  EXPECT_EQ(name(max(x, x)), "MaximumBackward0");
  EXPECT_EQ(name(x.prod()), "ProdBackward0");
  EXPECT_EQ(name(x.prod(1)), "ProdBackward1");
  EXPECT_EQ(name(x.cumsum(1)), "CumsumBackward0");
  EXPECT_EQ(name(x.nansum()), "NansumBackward0");
}

}  // namespace
}  // namespace taper
