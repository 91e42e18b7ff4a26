// Pooling over one and three dimensions, adaptive maxima, unpooling and fractional pooling.
#include <gtest/gtest.h>

#include <functional>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
#include "taper/ops/random.h"

namespace taper {
namespace {

using test::error_text;

namespace F = nn::functional;

TEST(MaxPool1d, ReturnsFirstMaximum) {
  const Tensor x = tensor({{1.f, 3.f, 3.f, 2.f, 5.f}});
  const auto [y, indices] = F::max_pool1d_with_indices(x, 3, {.stride = 1});
  EXPECT_EQ(y.str(), "tensor([[3., 3., 5.]])");
  EXPECT_EQ(indices.str(), "tensor([[1, 1, 4]])");
  EXPECT_TRUE(equal(F::max_pool1d(x, 3, {.stride = 1}), y));
  EXPECT_EQ(error_text<ShapeError>([&] { F::max_pool1d(x, 2, {.padding = 2}); }),
            "max_pool1d: pad should be at most half of effective kernel size, but got pad=2, "
            "kernel_size=2 and dilation=1");
}

/// Returns the maximum of each window of 2 x 2 x 2 elements and its position, one by one.
std::pair<Tensor, Tensor> maxima_one_by_one(const Tensor& x) {
  const std::int64_t n = x.size(-1), out = n / 2;
  const Tensor y = zeros({out, out, out}), at = zeros({out, out, out}, {.dtype = int64});
  for (std::int64_t d = 0; d < out; ++d)
    for (std::int64_t h = 0; h < out; ++h)
      for (std::int64_t w = 0; w < out; ++w) {
        float best = -1;
        for (std::int64_t i = 2 * d; i < 2 * d + 2; ++i)
          for (std::int64_t j = 2 * h; j < 2 * h + 2; ++j)
            for (std::int64_t k = 2 * w; k < 2 * w + 2; ++k)
              if (const auto e = x[{i, j, k}].item<float>(); e > best) {
                best = e;
                y[{d, h, w}] = e, at[{d, h, w}] = (i * n + j) * n + k;
              }
      }
  return {y, at};
}

TEST(MaxPool3d, FindsMaximaOfCubes) {
  manual_seed(1);
  const Tensor x = randint(0, 5, {4, 4, 4}).to(float32);  // with ties
  const auto [expected, positions] = maxima_one_by_one(x);
  const auto [y, indices] = F::max_pool3d_with_indices(x.unsqueeze(0), 2);
  EXPECT_TRUE(equal(y[0], expected));
  EXPECT_TRUE(equal(indices[0], positions));
  EXPECT_TRUE(equal(F::max_pool3d(x.unsqueeze(0), 2), y));
  const auto [adaptive, adaptive_indices] = F::adaptive_max_pool3d_with_indices(x.unsqueeze(0), 2);
  EXPECT_TRUE(equal(adaptive, y));
  EXPECT_TRUE(equal(adaptive_indices, indices));
}

TEST(AvgPool3d, DividesByTheNumberOfElements) {
  const Tensor x = arange(8).to(float32).reshape({1, 2, 2, 2});
  EXPECT_EQ(F::avg_pool3d(x, 2).item<float>(), 3.5f);
  EXPECT_EQ(F::avg_pool3d(x, 2, {.divisor_override = 4}).item<float>(), 7.f);
  EXPECT_EQ(F::avg_pool3d(x.to(int64), 2).item<int>(), 3);
  const Tensor padded = F::avg_pool3d(ones({1, 2, 2, 2}), 2, {.padding = 1});
  EXPECT_EQ(padded.flatten()[0].item<float>(), 0.125f);
  const Tensor valid =
      F::avg_pool3d(ones({1, 2, 2, 2}), 2, {.padding = 1, .count_include_pad = false});
  EXPECT_TRUE(equal(valid, ones({1, 2, 2, 2})));
  EXPECT_THROW(F::avg_pool3d(x, 2, {.divisor_override = 0}), ValueError);
}

TEST(AdaptiveMaxPool, DividesUnevenly) {
  const Tensor x = tensor({{1.f, 2.f, 3.f, 4.f, 5.f}});
  const auto [y, indices] = F::adaptive_max_pool1d_with_indices(x, 3);
  EXPECT_EQ(y.str(), "tensor([[2., 4., 5.]])");
  EXPECT_EQ(indices.str(), "tensor([[1, 3, 4]])");
  EXPECT_EQ(F::adaptive_max_pool2d(zeros({1, 4, 4}), 0).shape(), (Shape{1, 0, 0}));
  EXPECT_EQ(F::adaptive_max_pool2d(zeros({1, 4, 5}), {2, std::nullopt}).shape(), (Shape{1, 2, 5}));
  EXPECT_THROW(F::adaptive_max_pool1d(x, -1), ShapeError);
  EXPECT_THROW(F::adaptive_max_pool1d(zeros({1, 0}), 1), ShapeError);
}

TEST(MaxUnpool, InvertsMaxPooling) {
  manual_seed(1);
  const Tensor x = randn({2, 3, 6, 6});
  const auto [y, indices] = F::max_pool2d_with_indices(x, 2);
  const Tensor back = F::max_unpool2d(y, indices, 2);
  EXPECT_TRUE(equal(F::max_pool2d(back.abs(), 2), y.abs()));
  EXPECT_TRUE(equal(back.flatten(2).gather(2, indices.flatten(2)), y.flatten(2)));
  EXPECT_EQ(F::max_unpool2d(y, indices, 2, {.output_size = {7, 7}}).shape(), (Shape{2, 3, 7, 7}));
  EXPECT_THROW(F::max_unpool2d(y, indices, 2, {.output_size = {9, 9}}), ValueError);
  EXPECT_THROW(F::max_unpool2d(y, indices + 100, 2), IndexError);
  EXPECT_THROW(F::max_unpool2d(y, indices - 100, 2), IndexError);
  EXPECT_THROW(F::max_unpool2d(y, indices.to(int32), 2), DTypeError);
  EXPECT_THROW(F::max_unpool2d(y, indices, 2, Shape{std::int64_t{1} << 62}), ShapeError);
}

TEST(LPPool, SumsPowers) {
  const Tensor x = tensor({{3.f, 4.f}});
  EXPECT_EQ(F::lp_pool1d(x, 2, 2).item<float>(), 5.f);
  EXPECT_THROW(F::lp_pool1d(x, 0, 2), ValueError);
}

TEST(FractionalMaxPool, PlacesWindowsBySamples) {
  const Tensor x = arange(16).to(float32).reshape({1, 4, 4});
  const Tensor samples = zeros({1, 1, 2});
  const auto [y, indices] =
      F::fractional_max_pool2d_with_indices(x, 2, {.output_size = 2, ._random_samples = samples});
  EXPECT_EQ(y.str(), "tensor([[[ 5.,  7.],\n         [13., 15.]]])");
  EXPECT_EQ(indices.str(), "tensor([[[ 5,  7],\n         [13, 15]]])");
  EXPECT_THROW(F::fractional_max_pool2d(x, 2, {}), ValueError);
  EXPECT_THROW(F::fractional_max_pool2d(x, 5, {.output_size = 2}), ShapeError);
  EXPECT_THROW(
      F::fractional_max_pool2d(x, 2, {.output_size = 2, ._random_samples = full({1, 1, 2}, 1e30)}),
      ValueError);
  manual_seed(1);
  const Tensor first = F::fractional_max_pool2d(x, 2, {.output_ratio = 0.5});
  EXPECT_EQ(first.shape(), (Shape{1, 2, 2}));
}

TEST(PoolingLayers, ReturnIndicesOnRequest) {
  const nn::MaxPool1d pool(2, {.return_indices = true});
  const Tensor x = randn({1, 2, 6});
  EXPECT_THROW(static_cast<void>(pool(x)), TypeError);
  const auto [y, indices] = pool.forward_with_indices(x);
  const nn::MaxUnpool1d unpool(2);
  EXPECT_EQ(unpool(y, indices).shape(), x.shape());
  EXPECT_EQ(unpool(y, indices, {7}).shape(), (Shape{1, 2, 7}));
  EXPECT_EQ(unpool(y, indices, {.output_size = {1, 2, 7}}).shape(), (Shape{1, 2, 7}));
  EXPECT_EQ(unpool.forward(y, indices, {.output_size = 7}).shape(), (Shape{1, 2, 7}));
  EXPECT_THROW(nn::FractionalMaxPool2d(2, {}), ValueError);
}

TEST(PoolingLayers, AreDifferentiable) {
  const Tensor x = randn({1, 2, 4, 4, 4}, {.dtype = float64}).set_requires_grad();
  for (const auto& pool : std::vector<std::function<Tensor(const Tensor&)>>{
           [](const Tensor& t) { return F::max_pool3d(t, 2); },
           [](const Tensor& t) { return F::avg_pool3d(t, 3, {.stride = 1, .padding = 1}); },
           [](const Tensor& t) { return F::adaptive_max_pool3d(t, 3); }}) {
    const Tensor direction = randn(x.shape(), {.dtype = float64});
    const Tensor slope = (autograd::grad(pool(x).sum(), x) * direction).sum();
    const Tensor difference =
        (pool(x + direction * 1e-6).sum() - pool(x - direction * 1e-6).sum()) / 2e-6;
    EXPECT_NEAR(slope.item<double>(), difference.item<double>(), 1e-6);
  }
}

}  // namespace
}  // namespace taper
