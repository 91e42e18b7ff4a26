// Pooling: values and indices, edge rules, errors.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional/conv.h"
#include "taper/nn/functional/pooling.h"

namespace taper {
namespace {

namespace F = nn::functional;

using test::error_text;

TEST(MaxPool, ReturnsMaximumAndIndex) {
  const Tensor x = tensor({{1., 5., 2., 0.}, {3., 4., 9., 8.}, {7., 7., 1., 1.}, {7., 6., 1., 1.}})
                       .to(DType::f32)
                       .view({1, 1, 4, 4});
  const auto [y, places] = F::max_pool2d_with_indices(x, 2);
  EXPECT_TRUE(equal(y, tensor({{5.f, 9.f}, {7.f, 1.f}}).view({1, 1, 2, 2})));
  EXPECT_EQ(places.dtype(), DType::i64);
  EXPECT_TRUE(equal(places.flatten(), tensor({1, 6, 8, 10})));  // of equal values, the first
  EXPECT_TRUE(equal(max_pool2d(x, 2), y));
}

TEST(MaxPool, PropagatesNaNAndReturnsLastIndex) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = tensor({1.f, nan, 2.f, nan}).view({1, 1, 2, 2});
  const auto [y, places] = F::max_pool2d_with_indices(x, 2);
  EXPECT_TRUE(std::isnan(y.item<float>()));
  EXPECT_EQ(places.item<std::int64_t>(), 3);
  const Tensor low = full({1, 1, 2, 2}, -INFINITY);
  EXPECT_EQ(F::max_pool2d_with_indices(low, 2).second.item<std::int64_t>(), 0);
}

// Without a backward pass, another kernel is used, which does not store indices.
TEST(MaxPool, ReturnsSameBitsWithAndWithoutIndices) {
  manual_seed(5);
  const auto bits = [](const Tensor& t) {
    std::vector<std::uint32_t> all;
    const Tensor plain = t.contiguous();
    for (const float f : plain.data<float>())
      all.push_back(std::isnan(f) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(f));
    return all;
  };
  for (const Shape& kernel : {Shape{2}, Shape{3}, Shape{3, 2}})
    for (const std::int64_t stride : {1, 2, 4})
      for (const Shape& padding : {Shape{0}, Shape{1, 0}, Shape{1}}) {
        const Shape shape{2, 21, 9, 10};
        const Tensor x = conv2d(randn(shape), eye(21).view({21, 21, 1, 1})).clamp(-1, 1);
        x.masked_fill_(rand(shape) < 0.3, 0.f);
        x.masked_fill_(rand(shape) < 0.3, -0.f);
        x.masked_fill_(rand(shape) < 0.05, INFINITY);
        x.masked_fill_(rand(shape) < 0.2, -INFINITY);
        for (const bool with_nan : {false, true}) {
          if (with_nan) x[1][20][4] = NAN;
          const MaxPool2dFuncOptions o{.stride = stride, .padding = padding};
          const Tensor without = max_pool2d(x, kernel, o);
          EXPECT_EQ(without.ne(without).any().item<bool>(), with_nan);
          EXPECT_EQ(bits(without), bits(F::max_pool2d_with_indices(x, kernel, o).first));
        }
      }
}

TEST(MaxPool, ReturnsSameForEveryLayoutAndSize) {
  manual_seed(4);
  for (const Shape& kernel : {Shape{2}, Shape{3, 2}, Shape{16, 16}}) {
    const Tensor plain = randn({2, 20, 17, 18});
    const Tensor last = conv2d(plain, eye(20).view({20, 20, 1, 1}));  // stored channels-last
    const MaxPool2dFuncOptions o{.stride = 2, .padding = 1, .ceil_mode = true};
    const Tensor a = plain.clone().requires_grad_(), b = last.clone().requires_grad_();
    const Tensor y = max_pool2d(a, kernel, o), z = max_pool2d(b, kernel, o);
    EXPECT_TRUE(allclose(y, z, 1e-6, 1e-6));
    EXPECT_TRUE(equal(F::max_pool2d_with_indices(plain, kernel, o).second,
                      F::max_pool2d_with_indices(last, kernel, o).second));
    const Tensor g = randn(y.shape());
    EXPECT_TRUE(
        allclose(autograd::grad((y * g).sum(), a), autograd::grad((z * g).sum(), b), 1e-6, 1e-6));
  }
}

TEST(MaxPool, ReturnsSameWithoutGradient) {
  manual_seed(3);
  for (const Shape& shape : {Shape{2, 20, 9, 7}, Shape{1, 1, 28, 28}, Shape{50, 8, 8}}) {
    const Tensor x = randn(shape, {.requires_grad = true});
    const Tensor recorded = max_pool2d(x, 2);
    NoGrad guard;
    EXPECT_TRUE(equal(max_pool2d(x, 2), recorded.detach()));
  }
}

TEST(AvgPool, CountsAsPyTorch) {
  const Tensor x = ones({1, 1, 5, 5});
  EXPECT_TRUE(allclose(F::avg_pool2d(x, 2, {.padding = 1, .ceil_mode = true}).view({3, 3}),
                       tensor({{.25f, .5f, .5f}, {.5f, 1.f, 1.f}, {.5f, 1.f, 1.f}})));
  EXPECT_TRUE(allclose(F::avg_pool2d(x, 2, {.ceil_mode = true}), ones({1, 1, 3, 3})));
  EXPECT_TRUE(
      allclose(F::avg_pool2d(x, 2, {.padding = 1, .ceil_mode = true, .count_include_pad = false}),
               ones({1, 1, 3, 3})));
  EXPECT_TRUE(allclose(F::avg_pool2d(x, 2, {.divisor_override = 3}), full({1, 1, 2, 2}, 4. / 3)));
}

TEST(AvgPool, AdaptsToSizeOfInput) {
  const Tensor x = rand({1, 2, 4, 5});
  EXPECT_EQ(F::adaptive_avg_pool2d(x, {2, std::nullopt}).shape(), (Shape{1, 2, 2, 5}));
  EXPECT_TRUE(equal(F::adaptive_avg_pool2d(x, std::nullopt), x));
  EXPECT_TRUE(equal(F::adaptive_avg_pool2d(x, {std::nullopt, 5}), x));
  EXPECT_EQ(F::adaptive_avg_pool2d(x, Shape{3, 1}).shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(error_text<ShapeError>([&] {
              F::adaptive_avg_pool2d(x, {-1, 0});
            }),
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
            "received [-1, 0]");
  EXPECT_THROW(F::adaptive_avg_pool2d(x[0][0][0], std::nullopt), ShapeError);
}

// A loop over the channels would not end.
TEST(Pooling, ReturnsForHugeInputWithoutResults) {
  constexpr std::int64_t kChannels = std::int64_t{1} << 60;
  const Tensor x = zeros({1, 1, 1}).expand({kChannels, 1, 1});
  EXPECT_EQ(F::adaptive_avg_pool2d(x, {0, 1}).shape(), (Shape{kChannels, 0, 1}));
}

TEST(AdaptivePool, PropagatesZerosFromOutputsWithoutElements) {
  constexpr std::int64_t kMany = std::int64_t{1}
                                 << 33;  // more windows than memory for their bounds
  for (const Shape& shape : {Shape{1, 1, 2, 2}, Shape{2, 3, 2, 2}})
    for (const Shape& size : {Shape{0, kMany}, Shape{kMany, 0}, Shape{0, 0}})
      for (const MemoryFormat format : {contiguous_format, channels_last}) {
        const Tensor x = ones(shape).contiguous(format).requires_grad_();
        F::adaptive_avg_pool2d(x, size).sum().backward();
        EXPECT_TRUE(equal(x.grad(), zeros(shape))) << shape.str() << size.str();
        x.set_grad(Tensor());
        F::adaptive_max_pool2d(x, size).sum().backward();
        EXPECT_TRUE(equal(x.grad(), zeros(shape))) << shape.str() << size.str();
      }
}

TEST(Pooling, EmptyStrideIsKernelSize) {
  const Tensor x = rand({1, 1, 6, 6});
  EXPECT_TRUE(equal(F::avg_pool2d(x, {2, 3}, {.stride = Shape{}}), F::avg_pool2d(x, {2, 3})));
  EXPECT_TRUE(equal(max_pool2d(x, {2, 3}, {.stride = Shape{}}), max_pool2d(x, {2, 3})));
}

TEST(Pooling, HasNodesOfPyTorch) {
  const Tensor x = randn({1, 1, 4, 4}).requires_grad_();
  EXPECT_EQ(max_pool2d(x, 2).grad_fn().name(), "MaxPool2DWithIndicesBackward0");
  EXPECT_EQ(F::max_pool2d_with_indices(x, 2).first.grad_fn().name(),
            "MaxPool2DWithIndicesBackward0");
  EXPECT_FALSE(F::max_pool2d_with_indices(x, 2).second.requires_grad());
  EXPECT_EQ(F::avg_pool2d(x, 2).grad_fn().name(), "AvgPool2DBackward0");
  EXPECT_EQ(F::adaptive_avg_pool2d(x, 2).grad_fn().name(), "AdaptiveAvgPool2DBackward0");
}

// As in PyTorch, whose other pools accept an image that is large enough with its padding.
TEST(PoolingErrors, AvgPool3dRejectsImagesSmallerThanTheKernel) {
  const Tensor x = ones({1, 1, 3, 2, 4});
  EXPECT_EQ(error_text<ShapeError>([&] { return F::avg_pool3d(x, 3, {.padding = 1}); }),
            "avg_pool3d: input image [3, 2, 4] smaller than kernel size [3, 3, 3]");
  EXPECT_EQ(F::max_pool3d(x, 3, {.padding = 1}).shape(), Shape({1, 1, 1, 1, 2}));
  EXPECT_EQ(F::avg_pool2d(x[0][0], 3, {.padding = 1}).shape(), Shape({3, 1, 2}));
  EXPECT_EQ(F::avg_pool3d(x, {3, 2, 4}, {.padding = 1}).shape(), Shape({1, 1, 1, 2, 1}));
}

TEST(PoolingErrors, MatchPyTorch) {
  const Tensor x = zeros({1, 1, 4, 4});
  EXPECT_EQ(error_text<ShapeError>([&] { max_pool2d(x, 2, {.padding = 2}); }),
            "max_pool2d: pad should be at most half of effective kernel size, but got pad=2, "
            "kernel_size=2 and dilation=1");
  EXPECT_EQ(error_text<ShapeError>([&] { max_pool2d(x, 5); }),
            "max_pool2d: Given input size: (1x4x4). Calculated output size: (1x0x0). Output size "
            "is too small");
  EXPECT_EQ(error_text<ShapeError>([&] {
              max_pool2d(zeros({4, 4}), 2);
            }).substr(0, 69),
            "max_pool2d: non-empty 3D or 4D (batch mode) tensor expected for input");
  EXPECT_EQ(error_text<ShapeError>([&] {
              max_pool2d(zeros({2, 0, 8, 8}), 2);
            }),
            "max_pool2d: Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for "
            "input, but got:[2, 0, 8, 8]");
  EXPECT_EQ(error_text<ValueError>([&] { F::avg_pool2d(x, 2, {.divisor_override = 0}); }),
            "avg_pool2d: divisor must be not zero");
  EXPECT_THROW(max_pool2d(x, {2, 2, 2}), ShapeError);
  EXPECT_THROW(max_pool2d(x, 0), ShapeError);
  EXPECT_THROW(max_pool2d(x, -1), ShapeError);
  EXPECT_THROW(max_pool2d(x, 2, {.stride = 0}), ShapeError);
  EXPECT_THROW(max_pool2d(x, 2, {.dilation = 0}), ShapeError);
  EXPECT_THROW(max_pool2d(x, INT64_MAX), ShapeError);
  EXPECT_THROW(max_pool2d(x, 2, {.stride = INT64_MAX}), ShapeError);
  EXPECT_THROW(max_pool2d(zeros({1, 1, 4, 4}, {.dtype = DType::bool_}), 2), NotImplementedError);
  EXPECT_THROW(F::adaptive_avg_pool2d(x, {2, 2, 2}), ShapeError);
  EXPECT_THROW(F::adaptive_avg_pool2d(zeros({4, 4}), 2), ShapeError);
  EXPECT_EQ(max_pool2d(zeros({0, 3, 8, 8}), 2).shape(), (Shape{0, 3, 4, 4}));
}

}  // namespace
}  // namespace taper
