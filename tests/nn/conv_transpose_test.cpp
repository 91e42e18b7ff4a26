#include "nets.h"
#include "taper/core/generator.h"
#include "taper/nn/utils/fusion.h"
#include "taper/taper.h"

namespace {

using namespace nets;

// R8.2-12
TEST(ConvTranspose, PrintsAsPyTorch) {
  EXPECT_EQ(nn::ConvTranspose2d(3, 4, 2, {.stride = 2, .output_padding = 1}).str(),
            "ConvTranspose2d(3, 4, kernel_size=(2, 2), stride=(2, 2), output_padding=(1, 1))");
  EXPECT_EQ(nn::ConvTranspose1d(3, 4, 2).str(),
            "ConvTranspose1d(3, 4, kernel_size=(2,), stride=(1,))");
  EXPECT_EQ(
      nn::ConvTranspose1d(
          3, 4, 2, {.stride = 2, .padding = 1, .output_padding = 1, .bias = false, .dilation = 3})
          .str(),
      "ConvTranspose1d(3, 4, kernel_size=(2,), stride=(2,), padding=(1,), dilation=(3,), "
      "output_padding=(1,), bias=False)");
  EXPECT_EQ(nn::ConvTranspose3d(4, 6, {1, 2, 3}, {.groups = 2}).str(),
            "ConvTranspose3d(4, 6, kernel_size=(1, 2, 3), stride=(1, 1, 1), groups=2)");
}

TEST(ConvTranspose, RejectsInvalidOptions) {
  const auto text = [](nn::ConvTransposeOptions o) {
    return error_text<ValueError>([&] { nn::ConvTranspose2d(3, 4, 3, o); });
  };
  EXPECT_EQ(text({.groups = 0}), "groups must be a positive integer");
  EXPECT_EQ(text({.groups = 2}), "in_channels must be divisible by groups");
  EXPECT_EQ(text({.groups = 3}), "out_channels must be divisible by groups");
  EXPECT_EQ(text({.padding_mode = "reflect"}),
            "Only \"zeros\" padding mode is supported for ConvTranspose2d");
  EXPECT_THROW(nn::ConvTranspose2d(3, 4, {3, 3, 3}), ValueError);
  EXPECT_THROW(nn::ConvTranspose2d(3, 4, 3, {.output_padding = {1, 1, 1}}), ValueError);
  EXPECT_THROW(nn::ConvTranspose2d(3, 4, -1), ValueError);
  EXPECT_THROW(nn::make("ConvTranspose2d", {3, 4, 3}, Value::dict({{"padding", "same"}})),
               TypeError);
}

// The expected numbers are results of PyTorch.
TEST(ConvTranspose, InitializesAndComputesAsPyTorch) {
  manual_seed(0);
  nn::ConvTranspose1d up(3, 2, 2, {.stride = 2, .output_padding = 1});
  EXPECT_EQ(up.weight.shape(), Shape({3, 2, 2}));
  EXPECT_FLOAT_EQ(up.weight.data<const float>()[0], -0.003743410110473633f);
  EXPECT_FLOAT_EQ(up.weight.data<const float>()[11], -0.09828269481658936f);
  EXPECT_FLOAT_EQ(up.bias->data<const float>()[0], -0.4776742458343506f);
  const Tensor x = tensor({{{0.0, 1.0}, {2.0, 3.0}, {4.0, 5.0}}});
  const Tensor y = up(x);
  EXPECT_TRUE(allclose(y,
                       tensor({{{-1.0403167009353638, 0.3197082281112671, -1.281009316444397,
                                 0.8543150424957275, -0.4776742458343506},
                                {-0.955380380153656, 0.06861764192581177, -1.5279159545898438,
                                 -0.001189887523651123, -0.33114105463027954}}}),
                       1e-5, 1e-6));
  EXPECT_EQ(y.grad_fn().name(), "ConvolutionBackward0");
  EXPECT_TRUE(allclose(up(x[0]), y[0], 1e-6, 1e-7)) << "unbatched";
  EXPECT_EQ(nn::ConvTranspose2d(4, 6, 3, {.groups = 2}).weight.shape(), Shape({4, 3, 3, 3}));
}

TEST(ConvTranspose, IsGradientOfConvolution) {
  manual_seed(5);
  const Tensor w = randn({4, 2, 3, 2}), g = randn({2, 4, 3, 4});
  const Tensor x = randn({2, 4, 6, 4}).requires_grad_();
  F::conv2d(x, w, {}, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 1}, .groups = 2})
      .narrow(3, 0, 3)
      .sum()
      .backward();
  const Tensor ones_back = ones({2, 4, 3, 3});
  EXPECT_TRUE(
      allclose(F::conv_transpose2d(
                   ones_back, w, {},
                   {.stride = {2, 1}, .padding = {1, 0}, .output_padding = {1, 0}, .groups = 2}),
               x.grad(), 1e-5, 1e-5));
}

TEST(ConvTranspose, AcceptsOutputSize) {
  nn::ConvTranspose2d up(3, 4, 2, {.stride = 2});
  const Tensor x = zeros({1, 3, 5, 5});
  EXPECT_EQ(up(x).shape(), Shape({1, 4, 10, 10}));
  EXPECT_EQ(up(x, Shape{11, 10}).shape(), Shape({1, 4, 11, 10}));
  EXPECT_EQ(up(x, {11, 10}).shape(), Shape({1, 4, 11, 10}));
  EXPECT_EQ(up(x, {1, 4, 11, 11}).shape(), Shape({1, 4, 11, 11}));
  EXPECT_EQ(up(x, {.output_size = {11, 10}}).shape(), Shape({1, 4, 11, 10}));
  EXPECT_EQ(up(x, {.output_size = {}}).shape(), Shape({1, 4, 10, 10}));
  EXPECT_EQ(up(x, {}).shape(), Shape({1, 4, 10, 10}));
  nn::LazyConvTranspose2d lazy(4, 2, {.stride = 2});
  EXPECT_EQ(lazy(x, {11, 10}).shape(), Shape({1, 4, 11, 10}));
  EXPECT_EQ(up(x[0], Shape{4, 11, 11}).shape(), Shape({4, 11, 11}));
  EXPECT_EQ(up.call({x}, Value::dict({{"output_size", Value(Shape{11, 11})}})).as_tensor().shape(),
            Shape({1, 4, 11, 11}));
  const auto text = [&](const Tensor& input, const Shape& size) {
    return error_text<ValueError>([&] { up.forward(input, {.output_size = size}); });
  };
  EXPECT_EQ(text(x, {3, 3}),
            "requested an output size of [3, 3], but valid sizes range from [10, 10] to [11, 11] "
            "(for an input of torch.Size([5, 5]))");
  EXPECT_EQ(text(x, {1, 2, 3}),
            "ConvTranspose2D: for 4D input, output_size must have 2 or 4 elements (got 3)");
  EXPECT_EQ(text(x[0], {1, 2, 3, 4}),
            "ConvTranspose2D: for 3D input, output_size must have 2 or 3 elements (got 4)");
}

TEST(ConvTranspose, ShowsTheOutputSizeToHooks) {
  nn::ConvTranspose2d up(3, 4, 2, {.stride = 2});
  const Tensor x = zeros({1, 3, 5, 5});
  std::vector<std::string> seen;
  auto erased = up.register_forward_pre_hook([&](nn::Module&, const Values& args) {
    seen.push_back(args.size() == 1 ? "none" : args[1].repr());
  });
  const Tensor plain = up(x), sized = up(x, {11, 10});
  EXPECT_EQ(seen, (std::vector<std::string>{"none", "torch.Size([11, 10])"}));
  EXPECT_EQ(sized.shape(), (Shape{1, 4, 11, 10}));
  erased.remove();
  std::optional<Shape> size;
  up.register_forward_hook([&](nn::ConvTranspose2d&, const Tensor&,
                               const nn::OutputSizeOptions& options,
                               Tensor&) { size = options.output_size; });
  EXPECT_EQ(up(x, {.output_size = {11, 11}}).shape(), (Shape{1, 4, 11, 11}));
  EXPECT_EQ(size, (Shape{11, 11}));
}

TEST(ConvTranspose, RejectsInvalidInputs) {
  nn::ConvTranspose2d up(3, 4, 2);
  EXPECT_EQ(up(zeros({0, 3, 5, 5})).shape(), Shape({0, 4, 6, 6}));
  const auto text = [](nn::ConvTranspose2d& m, const Shape& input) {
    return error_text<ShapeError>([&] { m.forward(zeros(input)); });
  };
  EXPECT_EQ(text(up, {1, 2, 5, 5}),
            "conv_transpose2d: Given transposed=1, weight of size [3, 4, 2, 2], expected input[1, "
            "2, 5, 5] to have 3 channels, but got 2 channels instead");
  EXPECT_EQ(text(up, {5, 5}),
            "conv_transpose2d: Expected 3D (unbatched) or 4D (batched) input to conv_transpose2d, "
            "but got input of size: [5, 5]");
  EXPECT_EQ(text(up, {1, 3, 0, 5}),
            "conv_transpose2d: Only zero batch or zero channel inputs are supported, but got input "
            "shape: [1, 3, 0, 5]");
  nn::ConvTranspose2d far(3, 4, 2, {.output_padding = 1});
  EXPECT_EQ(text(far, {1, 3, 5, 5}),
            "conv_transpose2d: output padding must be smaller than either stride or dilation, but "
            "got output_padding_height: 1 output_padding_width: 1 stride_height: 1 stride_width: 1 "
            "dilation_height: 1 dilation_width: 1");
  nn::ConvTranspose2d small(3, 4, 2, {.padding = 3});
  EXPECT_EQ(text(small, {1, 3, 5, 5}),
            "conv_transpose2d: Given input size per channel: (5 x 5). Calculated output size per "
            "channel: (0 x 0). Output size is too small");
  EXPECT_EQ(
      error_text<ShapeError>([] {
        F::conv_transpose2d(zeros({1, 4, 5, 5}), zeros({4, 2, 2, 2}), zeros({2}), {.groups = 2});
      }),
      "conv_transpose2d: Given transposed=1, weight of size [4, 2, 2, 2], expected bias to "
      "be 1-dimensional with 4 elements, but got bias of size [2] instead");
  EXPECT_THROW(F::conv_transpose2d(zeros({1, 3, 5, 5}), zeros({3, 4, 2, 2}), {}, {.stride = 0}),
               ShapeError);
  EXPECT_THROW(F::conv_transpose1d(zeros({1, 3, 5}), zeros({3, 4, 2, 2})), ShapeError);
  EXPECT_THROW(F::conv_transpose1d(zeros({1, 3, 5}), zeros({3, 4, 2}, {.dtype = float64})),
               DTypeError);
}

// R9.4-03
TEST(ConvTranspose, FusesWithBatchNorm) {
  manual_seed(2);
  nn::ConvTranspose2d up(3, 4, 2, {.stride = 2});
  nn::BatchNorm2d bn(4);
  for (int i = 0; i < 3; ++i) bn(up(randn({4, 3, 6, 6}) * 2 + 1));
  up.eval(), bn.eval();
  const Tensor x = randn({2, 3, 5, 5});
  nn::ConvTranspose2d fused = nn::utils::fuse_conv_bn_eval(up, bn, true);
  EXPECT_TRUE(allclose(fused(x), bn(up(x)), 1e-4, 1e-5));
}

}  // namespace
