// Calls of convolutions by position and by fields of the options.
#include <gtest/gtest.h>

#include <optional>

#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/functional/conv.h"
#include "taper/nn/parameter.h"
#include "taper/ops/random.h"

namespace taper {
namespace {

using nn::Parameter;
using test::error_text;

TEST(ConvolutionCalls, AcceptArgumentsByPositionAndByName) {
  manual_seed(1);
  const Tensor x = randn({1, 4, 6, 7}), w = randn({6, 2, 3, 3}), b = randn({6});
  const Tensor y = conv2d(
      x, w, {.bias = b, .stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}, .groups = 2});
  EXPECT_EQ(y.shape(), (Shape{1, 6, 3, 7}));
  EXPECT_TRUE(equal(
      conv2d(x, w, b, {.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}, .groups = 2}), y));
  EXPECT_TRUE(equal(conv2d(x, w, b, {2, 1}, {1, 2}, {1, 2}, 2), y));
  EXPECT_TRUE(equal(conv2d(x, w, b, Shape{2, 1}, Shape{1, 2}, Shape{1, 2}, 2), y));
  EXPECT_EQ(conv2d(x, w, b, 2, 1, 1, 2).shape(), (Shape{1, 6, 3, 4}));
  EXPECT_EQ(conv2d(x, w, b, 1, "same", 1, 2).shape(), (Shape{1, 6, 6, 7}));
  EXPECT_EQ(conv2d(x, w, {.padding = "same", .groups = 2}).shape(), (Shape{1, 6, 6, 7}));
  const Tensor volume = randn({1, 2, 3, 4, 5}), w3 = randn({2, 2, 2, 2, 2});
  EXPECT_TRUE(equal(conv3d(volume, w3, {}, {1, 2, 3}), conv3d(volume, w3, {.stride = {1, 2, 3}})));
}

TEST(ConvolutionCalls, AcceptBiasesOfAllKinds) {
  manual_seed(2);
  const Tensor x = randn({1, 2, 5, 5}), w = randn({3, 2, 3, 3}), b = randn({3});
  const Tensor with = conv2d(x, w, b), without = conv2d(x, w);
  EXPECT_TRUE(allclose(with, without + b.view({3, 1, 1}), 1e-5, 1e-5));
  const std::optional<Parameter> parameter{Parameter(b)}, none;
  const Tensor undefined;
  for (const Tensor& y :
       {conv2d(x, w, parameter), conv2d(x, w, *parameter), conv2d(x, w, OptionalTensorRef(b)),
        conv2d(x, w, OptionalTensor(b)), conv2d(x, w, std::optional<Tensor>(b)),
        conv2d(x, w, {.bias = b}), conv2d(x, w, {.bias = parameter}), conv2d(x, w, b, {}),
        conv2d(x, w, parameter, 1), conv2d(x, w, parameter, {1, 1}), conv2d(x, w, {}, {.bias = b}),
        conv2d(x, w, none, {.bias = b})})
    EXPECT_TRUE(equal(y.detach(), with));
  for (const Tensor& y :
       {conv2d(x, w, {}), conv2d(x, w, std::nullopt), conv2d(x, w, undefined), conv2d(x, w, none),
        conv2d(x, w, {.bias = {}}), conv2d(x, w, {.bias = undefined}), conv2d(x, w, {}, {}),
        conv2d(x, w, {}, 1), conv2d(x, w, {}, {1, 1}, {0, 0}), conv2d(x, w, std::nullopt, {1, 1})})
    EXPECT_TRUE(equal(y, without));
}

TEST(ConvolutionCalls, RejectABiasGivenTwice) {
  const Tensor x = zeros({1, 2, 5, 5}), w = zeros({2, 2, 3, 3}), b = zeros({2});
  const auto text = [](auto call) { return error_text<TypeError>(call); };
  EXPECT_EQ(text([&] { conv2d(x, w, b, {.bias = b}); }),
            "conv2d: got multiple values for argument 'bias': by position and as a field");
  EXPECT_EQ(text([&] { conv1d(x[0], w[0], b, {.bias = b}); }),
            "conv1d: got multiple values for argument 'bias': by position and as a field");
  EXPECT_EQ(text([&] { conv_transpose2d(x, w, b, {.bias = b}); }),
            "conv_transpose2d: got multiple values for argument 'bias': by position and as a "
            "field");
}

TEST(ConvolutionCalls, NameUndefinedArguments) {
  const Tensor x = zeros({1, 2, 5, 5}), undefined;
  EXPECT_EQ(error_text<ValueError>([&] { conv2d(undefined, x); }),
            "conv2d: argument 'input' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] { conv2d(x, undefined, {}, 2); }),
            "conv2d: argument 'weight' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] { conv_transpose3d(x, undefined); }),
            "conv_transpose3d: argument 'weight' is an undefined tensor");
  EXPECT_EQ(error_text<ValueError>([&] { conv_tbc(x, x, undefined); }),
            "conv_tbc: argument 'bias' is an undefined tensor");
}

TEST(ConvolutionCalls, TransposeInTheOrderOfPyTorch) {
  manual_seed(3);
  const Tensor x = randn({1, 4, 4, 5}), w = randn({4, 3, 3, 2}), b = randn({6});
  const Tensor y = conv_transpose2d(x, w,
                                    {.bias = b,
                                     .stride = {2, 3},
                                     .padding = {1, 0},
                                     .output_padding = {1, 2},
                                     .groups = 2,
                                     .dilation = {2, 1}});
  EXPECT_EQ(y.shape(), (Shape{1, 6, 10, 16}));
  EXPECT_TRUE(equal(conv_transpose2d(x, w, b, {2, 3}, {1, 0}, {1, 2}, 2, {2, 1}), y));
  EXPECT_TRUE(equal(conv_transpose2d(x, w, b,
                                     {.stride = {2, 3},
                                      .padding = {1, 0},
                                      .output_padding = {1, 2},
                                      .groups = 2,
                                      .dilation = {2, 1}}),
                    y));
  EXPECT_EQ(conv_transpose2d(x, w, {}, 2, 1, 1, 2).shape(), (Shape{1, 6, 8, 9}));
}

TEST(ConvolutionCalls, TakeThePaddingOfConvTbc) {
  manual_seed(4);
  const Tensor x = randn({5, 2, 3}), w = randn({2, 3, 4}), b = randn({4});
  EXPECT_TRUE(equal(conv_tbc(x, w, b, {.pad = 1}), conv_tbc(x, w, b, 1)));
  EXPECT_TRUE(equal(conv_tbc(x, w, b, {}), conv_tbc(x, w, b)));
}

}  // namespace
}  // namespace taper
