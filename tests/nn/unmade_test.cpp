// skip_init, and conversion of the memory format of convolution weights.
#include "nets.h"
#include "taper/core/generator.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/conv.h"
#include "taper/nn/linear.h"
#include "taper/nn/rnn.h"
#include "taper/nn/sequential.h"
#include "taper/nn/utils/memory_format.h"
#include "taper/nn/utils/skip_init.h"

namespace {

using namespace nets;
namespace utils = nn::utils;

// R9.4-06. For a class without these options, see compile_fail/skip_init_without_device.cpp.
TEST(SkipInit, DrawsNothing) {
  manual_seed(1);
  const Tensor next = rand({2});
  manual_seed(1);
  auto linear = utils::skip_init<nn::Linear>(2, 3, nn::LinearOptions{.bias = false});
  EXPECT_EQ(linear.str(), "Linear(in_features=2, out_features=3, bias=False)");
  EXPECT_TRUE(linear.weight.device().is_cpu());
  EXPECT_TRUE(linear.weight.requires_grad() && linear.weight.is_leaf());
  auto conv = utils::skip_init<nn::Conv2d>(1, 2, Shape{3, 3});
  EXPECT_EQ(conv(zeros({1, 1, 4, 4})).shape(), Shape({1, 2, 2, 2}));
  auto gru = utils::skip_init<nn::GRU>(2, 3, nn::GRUOptions{.dtype = float64});
  EXPECT_EQ(gru(zeros({1, 1, 2}, {.dtype = float64})).first.dtype(), float64);
  EXPECT_TRUE(equal(rand({2}), next)) << "the generator was not asked";
  const auto on_meta =
      utils::skip_init<nn::BatchNorm1d>(2, nn::BatchNormOptions{.device = Device::meta()});
  EXPECT_TRUE(on_meta.running_mean->device().is_meta());
}

// R9.4-04
TEST(ConvertConvWeights, ConvertsConvWeightsOnly) {
  nn::Sequential net{nn::Conv2d(2, 3, 2), nn::Linear(2, 2), nn::Conv3d(2, 3, 2)};
  net.register_buffer("image", zeros({1, 2, 2, 2}));
  auto& conv = *net[0].as<nn::Conv2d>();
  const Tensor weight = conv.weight, values = conv.weight.detach().clone();
  const Tensor deep = net[2].as<nn::Conv3d>()->weight;
  EXPECT_EQ(&utils::convert_conv2d_weight_memory_format(net, channels_last), &net);
  EXPECT_TRUE(conv.weight.is_same(weight) && equal(weight, values));
  EXPECT_EQ(weight.strides(), Shape({8, 1, 4, 2}));
  EXPECT_EQ(deep.strides(), Shape({16, 8, 4, 2, 1}));
  EXPECT_EQ(net.get_buffer("image").strides(), Shape({8, 4, 2, 1}));
  utils::convert_conv3d_weight_memory_format(net, channels_last_3d);
  EXPECT_EQ(deep.strides(), Shape({16, 1, 8, 4, 2}));
  EXPECT_EQ(error_message<RuntimeError>(
                [&] { utils::convert_conv2d_weight_memory_format(net, channels_last_3d); }),
            "required rank 5 tensor to use channels_last_3d format");
  EXPECT_EQ(error_message<RuntimeError>(
                [&] { utils::convert_conv3d_weight_memory_format(net, channels_last); }),
            "required rank 4 tensor to use channels_last format");
  utils::convert_conv2d_weight_memory_format(conv, contiguous_format);
  EXPECT_EQ(weight.strides(), Shape({8, 4, 2, 1}));
}

}  // namespace
