// Normalization of elements whose squares leave the range of float, and of equal elements without
// eps.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/nn.h"
#include "taper/ops/norm.h"

namespace taper {
namespace {

namespace F = nn::functional;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor gradient_of(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  const Tensor leaf = x.detach().clone().set_requires_grad(), y = f(leaf);
  const Tensor weights = arange(y.numel()).sin().reshape(y.shape()).to(y.dtype());
  return autograd::grad(y, leaf, {.grad_outputs = {weights}});
}

TEST(NormalizationRange, EqualsFloat64) {
  manual_seed(3);
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> functions[] = {
      {"layer_norm",
       [](const Tensor& x) { return F::layer_norm(x, {x.size(-1)}, {.eps = 1e-30}); }},
      {"rms_norm", [](const Tensor& x) { return F::rms_norm(x, {x.size(-1)}, {.eps = 1e-30}); }},
      {"group_norm", [](const Tensor& x) { return F::group_norm(x, 2, {.eps = 1e-30}); }},
  };
  for (const auto& [name, f] : functions)
    for (const double scale : {1e-12, 1e-10, 1e12, 1e20, 1e30, 1e36}) {
      const Tensor x = randn({3, 4, 7}, {.dtype = float64}).mul(scale).to(float32);
      EXPECT_TRUE(allclose(f(x).to(float64), f(x.to(float64)), 1e-5, 1e-5)) << name << scale;
      const Tensor want = gradient_of(f, x.to(float64));
      EXPECT_TRUE(allclose(gradient_of(f, x).to(float64), want, 1e-4,
                           1e-5 * want.abs().max().item<double>()))
          << name << scale;
    }
}

TEST(NormalizationRange, RowsWithoutEps) {
  const Tensor x = tensor({{1e-30f, 2e-30f, 3e-30f}, {1e30f, 2e30f, 3e30f}});
  const float root = std::sqrt(1.5f);
  EXPECT_TRUE(allclose(F::layer_norm(x, {3}, {.eps = 0}),
                       tensor({{-root, 0.f, root}, {-root, 0.f, root}}), 1e-5, 1e-5));
}

TEST(BatchNormRange, GradientOfLargeDeviations) {
  manual_seed(4);
  for (const Shape& shape : {Shape{6, 3}, Shape{4, 3, 5}, Shape{2, 3, 4, 4}})
    for (const double scale : {1e12, 1e14, 1e17}) {
      const auto f = [](const Tensor& x) { return F::batch_norm(x, {}, {}, {.training = true}); };
      const Tensor x = randn(shape, {.dtype = float64}).mul(scale).to(float32);
      const Tensor want = gradient_of(f, x.to(float64));
      EXPECT_TRUE(allclose(gradient_of(f, x).to(float64), want, 1e-4,
                           1e-5 * want.abs().max().item<double>()))
          << shape.str() << scale;
    }
}

TEST(BatchNormRange, MeanOfHugeElements) {
  for (const Shape& shape : {Shape{200, 2}, Shape{2, 2, 100}}) {
    const Tensor x = full(shape, 3e38), mean = zeros({2}), var = ones({2});
    EXPECT_TRUE(
        equal(F::batch_norm(x, mean, var, {.training = true, .momentum = 1}), zeros(shape)));
    EXPECT_TRUE(equal(mean, full({2}, 3e38)));
    EXPECT_TRUE(equal(var, zeros({2})));
  }
}

TEST(BatchNormRange, InfiniteInputHasFiniteGradientInEvaluation) {
  for (const Shape& shape : {Shape{3, 2}, Shape{3, 2, 4}, Shape{3, 2, 4, 4}}) {
    const Tensor x = ones(shape);
    x[1][0].fill_(kInfinity);
    const Tensor mean = zeros({2}), var = full({2}, 0.25);
    const Tensor g =
        autograd::grad(F::batch_norm(x.set_requires_grad(), mean, var, {.eps = 0}).sum(), x);
    EXPECT_TRUE(equal(g, full(shape, 2.0)));
  }
}

// As in PyTorch; layer and group normalization divide by 0 in both.
TEST(InstanceNormRange, EqualElementsWithoutEpsAreTheBias) {
  for (const DType dtype : {float32, float64, bfloat16}) {
    const Tensor x = ones({2, 2, 4}, {.dtype = dtype, .requires_grad = true});
    nn::InstanceNorm1d layer(2, {.eps = 0.0, .affine = true, .dtype = dtype});
    layer.bias->data().fill_(3);
    const Tensor y = layer(x);
    EXPECT_TRUE(equal(y, full({2, 2, 4}, 3, {.dtype = dtype})));
    EXPECT_TRUE(equal(autograd::grad(y.sum(), x), zeros({2, 2, 4}, {.dtype = dtype})));
  }
  EXPECT_TRUE(F::layer_norm(ones({2, 3}), {3}, {.eps = 0}).isnan().all().item<bool>());
  EXPECT_TRUE(F::group_norm(ones({2, 2, 3}), 1, {.eps = 0}).isnan().all().item<bool>());
}

}  // namespace
}  // namespace taper
