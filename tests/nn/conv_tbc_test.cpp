// conv_tbc, and the first call of lazy transposed convolutions.
#include <gtest/gtest.h>

#include "taper/core/factory.h"
#include "taper/nn/functional.h"
#include "taper/nn/nn.h"
#include "taper/ops/random.h"
#include "taper/ops/result_type.h"

namespace taper {
namespace {

TEST(ConvTbc, IsAConvolutionAlongTime) {
  const Tensor x = randn({5, 2, 3}), weight = randn({2, 3, 4}), bias = randn({4});
  const Tensor y = nn::functional::conv_tbc(x, weight, bias, 1);
  EXPECT_EQ(y.shape(), (Shape{6, 2, 4}));
  const Tensor expected =
      x[1].matmul(weight[0]) + x[2].matmul(weight[1]) + bias;  // windows begin before the padding
  EXPECT_TRUE(allclose(y[2], expected, 1e-4, 1e-5));
  EXPECT_THROW(nn::functional::conv_tbc(x[0], weight, bias), ShapeError);
  EXPECT_THROW(nn::functional::conv_tbc(x, weight, zeros({3})), ShapeError);
}

TEST(LazyConvTranspose, InfersChannelsFromTheFirstInput) {
  nn::LazyConvTranspose2d layer(4, 3, {.groups = 2});
  EXPECT_EQ(layer(zeros({1, 6, 2, 2})).shape(), (Shape{1, 4, 4, 4}));
  EXPECT_EQ(layer.weight.shape(), (Shape{6, 2, 3, 3}));
  EXPECT_EQ(layer.str(), "ConvTranspose2d(6, 4, kernel_size=(3, 3), stride=(1, 1), groups=2)");
}

TEST(ResultType, PromotesByKindAndDimensions) {
  const Tensor floats = zeros({2}), scalar = tensor(1.0, {.dtype = float64});
  EXPECT_EQ(result_type(floats, 1), float32);
  EXPECT_EQ(result_type(floats, scalar), float32);
  EXPECT_EQ(result_type(zeros({2}, {.dtype = int32}), 1.5), float32);
  EXPECT_EQ(result_type(1, true), int64);
}

}  // namespace
}  // namespace taper
