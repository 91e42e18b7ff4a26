// Reductions and norms of float32 elements whose sums or powers leave the range of float although
// the result does not: values and gradients are those of the same elements in float64.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/core/parallel.h"
#include "taper/nn/functional.h"
#include "taper/ops/scan.h"

namespace {

using namespace taper;
namespace F = nn::functional;
using RangeFunction = std::function<Tensor(const Tensor&)>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallest = std::numeric_limits<float>::min();

struct ValueAndGradient {
  Tensor value, gradient;
};
ValueAndGradient evaluate(const RangeFunction& f, const Tensor& x) {
  const Tensor leaf = x.detach().clone().set_requires_grad(), y = f(leaf);
  return {y.detach(), autograd::grad(y, leaf, {.grad_outputs = {ones_like(y)}})};
}

/// Compares float32 with float64 results. Terms that cancel in a gradient have about the size of
/// its largest element; results that are subnormal in float32 have fewer digits.
void expect_double(const Tensor& got, const Tensor& want, const std::string& what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  const double size = want.abs().max().item<double>();
  EXPECT_TRUE(allclose(got.to(float64), want, 1e-5, 1e-5 * size + kSmallest))
      << what << ": " << got.str() << " for " << want.str();
}

void expect_double_results(const std::string& name, const RangeFunction& f, const Tensor& x,
                           std::initializer_list<double> scales) {
  for (const double scale : scales) {
    const Tensor floats = x.mul(scale).to(float32);
    const ValueAndGradient got = evaluate(f, floats), want = evaluate(f, floats.to(float64));
    const std::string what = name + " at " + std::to_string(scale);
    expect_double(got.value, want.value, what);
    expect_double(got.gradient, want.gradient, "gradient of " + what);
  }
}

Tensor samples(const Shape& shape) {
  manual_seed(7);
  return randn(shape, {.dtype = float64});
}

TEST(FloatRange, StandardDeviations) {
  for (const Shape& shape : {Shape{6, 9}, Shape{3, 700}, Shape{700, 3}, Shape{5, 40000}}) {
    const Tensor x = samples(shape);
    for (const std::int64_t dim : {0, 1}) {
      expect_double_results("std", [&](const Tensor& t) { return t.std({dim}); }, x,
                            {1e-37, 1e-30, 1e-21, 1e19, 1e30, 5e37});
      expect_double_results("std_mean", [&](const Tensor& t) { return std_mean(t, {dim}).first; },
                            x, {1e-30, 1e30});
    }
    expect_double_results("std of all", [](const Tensor& t) { return t.std(); }, x, {1e-30, 1e30});
    expect_double_results("var", [](const Tensor& t) { return t.var(); }, x, {1e-18, 1e18});
  }
}

TEST(FloatRange, Means) {
  // The sums of 300 elements are infinite in float.
  const Tensor x = rand({300, 4}, {.dtype = float64}).add(1);
  for (const Tensor& t : {x, x.t().contiguous(), x.t()}) {
    expect_double_results("mean", [](const Tensor& e) { return e.mean(); }, t, {1e37});
    for (const std::int64_t dim : {0, 1})
      expect_double_results("mean", [&](const Tensor& e) { return e.mean({dim}); }, t, {1e37});
  }
  expect_double_results("var_mean", [](const Tensor& e) { return var_mean(e, {0}).second; }, x,
                        {1e37});
  EXPECT_EQ(full({9}, 1e38).sum().item<double>(), kInfinity);
  EXPECT_EQ(tensor({3e38f, 3e38f, -3e38f, -3e38f}).sum().item<double>(), 0);
  EXPECT_EQ(full({100}, 3e38, {.dtype = bfloat16}).mean().item<double>(),
            full({}, 3e38, {.dtype = bfloat16}).item<double>());
}

TEST(FloatRange, InfiniteElements) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensor({{1.f, inf, 2.f}, {inf, 1.f, -inf}, {1.f, 2.f, 3.f}});
  EXPECT_TRUE(allclose(x.mean({1}), tensor({inf, std::nanf(""), 2.f}), 1e-6, 0, true));
  EXPECT_TRUE(allclose(x.norm(2, {1}), tensor({inf, inf, std::sqrt(14.f)})));
  EXPECT_TRUE(std::isnan(x.std({1})[0].item<float>()));
}

TEST(FloatRange, Norms) {
  for (const Shape& shape : {Shape{6, 9}, Shape{3, 700}, Shape{700, 3}}) {
    const Tensor x = samples(shape);
    for (const double p : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 7.0, kInfinity, -1.0}) {
      // Beyond these scales, norms of low order leave the range themselves.
      const double small = p < 0 ? 1e-30 : 1e-36, large = p < 1 ? 1e30 : 1e35;
      for (const std::int64_t dim : {0, 1})
        expect_double_results("norm " + std::to_string(p),
                              [&](const Tensor& t) { return t.norm(p, {dim}); }, x,
                              {small, 1e-30, 1e-22, 1e19, large});
      expect_double_results("norm " + std::to_string(p), [&](const Tensor& t) { return t.norm(p); },
                            x, {1e-30, 1e30});
    }
  }
}

TEST(FloatRange, DoesNotDependOnTheNumberOfThreads) {
  const int before = get_num_threads();
  const Tensor x = samples({64, 3000}).mul(1e30).to(float32);
  std::vector<Tensor> results;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    results.push_back(cat({x.std({0}), x.std({1}), x.norm(2, {1}), x.std().reshape(-1)}));
  }
  set_num_threads(before);
  EXPECT_TRUE(equal(results[0], results[1]));
}

TEST(FloatRange, ZerosBesideOtherRows) {
  const Tensor x = zeros({4, 100});
  x[1].fill_(1e-30);
  x[2].fill_(3);
  const Tensor norms = x.norm(2, {1});
  EXPECT_EQ(norms[0].item<float>(), 0);
  EXPECT_FLOAT_EQ(norms[1].item<float>(), 1e-29f);
  EXPECT_FLOAT_EQ(norms[2].item<float>(), 30);
  EXPECT_TRUE(equal(x.std({1}), zeros({4})));
}

TEST(FloatRange, Products) {
  const Tensor x = tensor({1e30f, 1e30f, 1e-30f, 1e-30f});
  EXPECT_FLOAT_EQ(x.prod().item<float>(), 1);
  EXPECT_FLOAT_EQ(x.flip({0}).prod().item<float>(), 1);
  EXPECT_EQ(tensor({1e30f, 0.f, 1e30f}).prod().item<float>(), 0);
}

TEST(FloatRange, Similarities) {
  const Tensor x = samples({5, 8}), y = samples({10, 8}).narrow(0, 5, 5);
  const auto other = [&](const Tensor& t) {
    return y.mul(t.detach().abs().max().item<double>()).to(t.dtype());
  };
  for (const double p : {1.0, 2.0, 3.0}) {
    expect_double_results(
        "normalize", [&](const Tensor& t) { return F::normalize(t, p, 1, {.eps = 0}).cumsum(1); },
        x, {1e-30, 1e30});
    expect_double_results("pairwise_distance",
                          [&](const Tensor& t) { return F::pairwise_distance(t, other(t), p, 0); },
                          x, {1e-30, 1e30});
  }
  expect_double_results("cosine_similarity",
                        [&](const Tensor& t) { return F::cosine_similarity(t, other(t), 1, 0); }, x,
                        {1e-30, 1e30});
}

TEST(FloatRange, Renorm) {
  const Tensor x = samples({5, 8});
  for (const double p : {1.0, 2.0, 3.0})
    expect_double_results("renorm", [&](const Tensor& t) { return renorm(t, p, 0, 1).cumsum(1); },
                          x, {1e-30, 1, 1e20, 1e30});
  // Slices within the limit are left out of the gradient of the others.
  Tensor mixed = tensor({{3.f, 4.f}, {0.f, std::nanf("")}});
  const ValueAndGradient got = evaluate([](const Tensor& t) { return renorm(t, 2, 0, 1); }, mixed);
  EXPECT_TRUE(equal(got.gradient[1], ones({2})));
  EXPECT_TRUE(got.gradient[0].isfinite().all().item<bool>());
}

TEST(FloatRange, WeightsOfLogsumexp) {
  // The logarithm of the number of elements is lost in the result.
  for (const double value : {-1e30, -1e9, 1e5, 1e30})
    for (const DType dtype : {float32, float64}) {
      const ValueAndGradient got = evaluate([](const Tensor& t) { return logsumexp(t, {0}); },
                                            full({5, 2}, value, {.dtype = dtype}));
      EXPECT_TRUE(allclose(got.gradient, full({5, 2}, 0.2, {.dtype = dtype}), 1e-6));
    }
  const ValueAndGradient got = evaluate(
      [](const Tensor& t) {
        return logsumexp(t, {0, 1});
      },
      full({2, 2}, 1e20));
  EXPECT_TRUE(allclose(got.gradient, full({2, 2}, 0.25)));
}

TEST(FloatRange, LogcumsumexpReturnsTheFirstElement) {
  const Tensor x = tensor({1e-30f, 3.f, -2.f});
  EXPECT_EQ(logcumsumexp(x, 0)[0].item<float>(), 1e-30f);
}

TEST(Norm, SecondDerivativesAreFiniteAtZero) {
  for (const double p : {1.5, 2.5, 3.0, 3.5}) {
    const Tensor x = tensor({{0., 0.}, {0., 2.}}, {.dtype = float64, .requires_grad = true});
    const Tensor g = autograd::grad(x.norm(p, {1}).sum(), x, {.create_graph = true});
    EXPECT_TRUE(allclose(g, tensor({{0., 0.}, {0., 1.}}, {.dtype = float64}))) << p;
    const Tensor h = autograd::grad(g.sum(), x);
    EXPECT_TRUE(h.isfinite().all().item<bool>()) << p << ": " << h.str();
    EXPECT_TRUE(equal(h[0], zeros({2}, {.dtype = float64}))) << p;
  }
}

TEST(Norm, SecondDerivativesOfPyTorchAreNanAtZero) {
  for (const double p : {-2.0, -0.5, 0.5, 2.0}) {
    const Tensor x = zeros({3}, {.dtype = float64, .requires_grad = true});
    const Tensor g = autograd::grad(x.norm(p), x, {.create_graph = true});
    EXPECT_TRUE(equal(g, zeros({3}, {.dtype = float64}))) << p;
    EXPECT_TRUE(autograd::grad(g.sum(), x).isnan().all().item<bool>()) << p;
  }
}

TEST(Std, SecondDerivativeIsZeroForEqualElements) {
  const Tensor x = ones({2, 3}, {.requires_grad = true});
  const Tensor g = autograd::grad(x.std({1}).sum(), x, {.create_graph = true});
  EXPECT_TRUE(equal(autograd::grad(g.sum(), x), zeros({2, 3})));
}

}  // namespace
