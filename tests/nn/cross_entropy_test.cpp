// Cross entropy of class indices as one op, against log_softmax followed by nll_loss.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "taper/core/parallel.h"
#include "taper/taper.h"

namespace taper {
namespace {

/// Loss and gradient of the scores.
struct LossAndGradient {
  Tensor loss, grad;
};

template <class Loss> LossAndGradient differentiate_loss(const Tensor& scores, Loss&& loss) {
  const Tensor x = scores.detach().clone().set_requires_grad();
  const Tensor y = loss(x);
  y.backward(ones_like(y).mul(1.5));
  return {y.detach(), x.grad()};
}

Tensor composed_loss(const Tensor& x, const Tensor& target, const F::CrossEntropyFuncOptions& o) {
  return F::nll_loss(
      x.log_softmax(-1), target,
      {.weight = o.weight, .ignore_index = o.ignore_index, .reduction = o.reduction});
}

void expect_composition(const Tensor& x, const Tensor& target, const F::CrossEntropyFuncOptions& o,
                        double tolerance) {
  const LossAndGradient got =
      differentiate_loss(x, [&](const Tensor& t) { return F::cross_entropy(t, target, o); });
  const LossAndGradient want =
      differentiate_loss(x, [&](const Tensor& t) { return composed_loss(t, target, o); });
  EXPECT_TRUE(allclose(got.loss, want.loss, tolerance, tolerance));
  EXPECT_TRUE(allclose(got.grad, want.grad, tolerance, tolerance));
}

TEST(CrossEntropy, MatchesComposition) {
  for (const std::int64_t classes : {1, 10, 33, 5000})
    for (const char* reduction : {"none", "mean", "sum"}) {
      const Tensor x = randn({37, classes}, {.dtype = DType::f64}).mul(4);
      const Tensor target = randint(0, classes, {37});
      const Tensor weight = rand({classes}, {.dtype = DType::f64}).add(0.5);
      for (const bool weighted : {false, true}) {
        F::CrossEntropyFuncOptions o{.ignore_index = classes > 1 ? 0 : -100,
                                     .reduction = reduction};
        if (weighted) o.weight = weight;
        expect_composition(x, target, o, 1e-12);
        if (weighted) o.weight = weight.to(DType::f32);
        expect_composition(x.to(DType::f32), target, o, 3e-6);
      }
    }
}

TEST(CrossEntropy, AcceptsVectorsBytesAndStridedScores) {
  expect_composition(randn({7}), tensor(std::vector<std::int64_t>{3}).view(Shape{}), {}, 1e-6);
  const Tensor target = randint(0, 40, {6});
  expect_composition(randn({6, 40}), target.to(DType::u8), {}, 1e-6);
  expect_composition(randn({40, 6}).transpose(0, 1), target, {}, 1e-6);
}

TEST(CrossEntropy, PreservesDigitsOfLargeScores) {
  const Tensor x = randn({8, 50}), target = randint(0, 50, {8});
  const LossAndGradient near =
      differentiate_loss(x, [&](const Tensor& t) { return F::cross_entropy(t, target); });
  // The sums round the scores to multiples of 2^-10 first.
  const Tensor rounded = x.add(4096).sub(4096), far = rounded.add(4096);
  const LossAndGradient want =
      differentiate_loss(rounded, [&](const Tensor& t) { return F::cross_entropy(t, target); });
  const LossAndGradient got =
      differentiate_loss(far, [&](const Tensor& t) { return F::cross_entropy(t, target); });
  EXPECT_TRUE(allclose(got.loss, want.loss, 1e-6, 0));
  EXPECT_TRUE(allclose(got.grad, want.grad, 1e-6, 1e-9));
  EXPECT_TRUE(allclose(near.loss, want.loss, 1e-2, 0));
}

TEST(CrossEntropy, ComputesNarrowFloatsInFloat) {
  const Tensor target = randint(0, 3000, {9});
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const Tensor x = randn({9, 3000}).to(dtype);
    const LossAndGradient got =
        differentiate_loss(x, [&](const Tensor& t) { return F::cross_entropy(t, target); });
    const LossAndGradient want = differentiate_loss(
        x.to(DType::f32), [&](const Tensor& t) { return F::cross_entropy(t, target); });
    EXPECT_TRUE(allclose(got.loss.to(DType::f32), want.loss, 4e-3));
    EXPECT_TRUE(allclose(got.grad.to(DType::f32), want.grad, 1e-2, 1e-6));
  }
}

TEST(CrossEntropy, HandlesInfinityAndNaN) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  Tensor x = zeros({4, 9000});
  x[0].narrow(0, 0, 8999).fill_(-inf);  // one class remains
  x[1].narrow(0, 0, 1).fill_(inf);
  x[2].narrow(0, 4500, 1).fill_(std::nan(""));
  x[3].fill_(-inf);
  const Tensor target = tensor(std::vector<std::int64_t>{8999, 1, 1, 1});
  const LossAndGradient got = differentiate_loss(
      x, [&](const Tensor& t) { return F::cross_entropy(t, target, {.reduction = "none"}); });
  EXPECT_EQ(got.loss[0].item<float>(), 0.0f);
  EXPECT_TRUE(equal(got.grad[0], zeros({9000})));
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(got.loss[i].item<float>())) << i;
}

TEST(CrossEntropy, IsDifferentiableTwice) {
  const Tensor target = randint(0, 12, {5}), direction = randn({5, 12}, {.dtype = DType::f64});
  const Tensor values = randn({5, 12}, {.dtype = DType::f64});
  const auto second = [&](auto&& loss) {
    const Tensor x = values.detach().clone().set_requires_grad();
    const Tensor g = autograd::grad({loss(x)}, {x}, {.create_graph = true})[0];
    return autograd::grad({g.mul(direction).sum()}, {x})[0];
  };
  EXPECT_TRUE(allclose(second([&](const Tensor& x) { return F::cross_entropy(x, target); }),
                       second([&](const Tensor& x) { return composed_loss(x, target, {}); }), 1e-10,
                       1e-12));
}

// Gradients of the second size bypass the cache.
TEST(CrossEntropy, IsIndependentOfThreads) {
  const int before = get_num_threads();
  for (const Shape& shape : {Shape{1000, 70}, Shape{41, 80000}}) {
    const Tensor x = randn(shape), target = randint(0, shape[1], {shape[0]});
    const auto loss = [&](const Tensor& t) { return F::cross_entropy(t, target); };
    set_num_threads(1);
    const LossAndGradient one = differentiate_loss(x, loss);
    for (const int threads : {2, 3, 4}) {
      set_num_threads(threads);
      const LossAndGradient more = differentiate_loss(x, loss);
      EXPECT_TRUE(equal(one.loss, more.loss) && equal(one.grad, more.grad)) << threads;
    }
    expect_composition(x, target, {}, 1e-5);
  }
  set_num_threads(before);
}

TEST(CrossEntropy, RejectsTargetsThatAreNotClasses) {
  EXPECT_THROW(F::cross_entropy(zeros({2, 3}), tensor(std::vector<std::int64_t>{1, 3})),
               IndexError);
}

TEST(CrossEntropy, LeavesIgnoredSamplesOutOfLabelSmoothing) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor scores = tensor({{1., inf, 0.}, {2., 0.5, -1.}, {-inf, -inf, -inf}});
  const Tensor target = tensor({-100, 2, -100});
  for (const bool weighted : {false, true})
    for (const char* reduction : {"none", "mean", "sum"}) {
      F::CrossEntropyFuncOptions o{.reduction = reduction, .label_smoothing = 0.1};
      if (weighted) o.weight = tensor({0.5, 1., 2.});
      const auto loss = [&](const Tensor& x, const Tensor& t) { return F::cross_entropy(x, t, o); };
      const LossAndGradient got =
          differentiate_loss(scores, [&](const Tensor& x) { return loss(x, target); });
      const LossAndGradient want = differentiate_loss(
          scores.narrow(0, 1, 1), [&](const Tensor& x) { return loss(x, tensor({2})); });
      if (o.reduction == "none")
        EXPECT_TRUE(equal(got.loss, cat({zeros({1}), want.loss, zeros({1})})));
      else
        EXPECT_TRUE(allclose(got.loss, want.loss));
      EXPECT_TRUE(equal(got.grad, cat({zeros({1, 3}), want.grad, zeros({1, 3})})));
    }
}

TEST(CrossEntropy, GradientIsZeroIfAllSamplesAreIgnoredInLabelSmoothing) {
  const Tensor target = full({2}, -100);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const LossAndGradient got = differentiate_loss(
        arange(6.0, {.dtype = dtype}).reshape({2, 3}),
        [&](const Tensor& x) { return F::cross_entropy(x, target, {.label_smoothing = 0.1}); });
    EXPECT_TRUE(got.loss.isnan().item<bool>());  // as in PyTorch: the mean of no samples
    EXPECT_TRUE(equal(got.grad, zeros({2, 3}, {.dtype = dtype})));
  }
  const Tensor image = randn({2, 3, 4}), labels = full({2, 4}, 7);
  EXPECT_EQ(F::cross_entropy(image, labels,
                             {.ignore_index = 7, .reduction = "sum", .label_smoothing = 0.2})
                .item<double>(),
            0);
}

}  // namespace
}  // namespace taper
