// Gradients of tensors without elements, of first and second order.
#include <gtest/gtest.h>

#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

TEST(EmptyTensor, MeanIsTwiceDifferentiable) {
  const Tensor x = zeros({0, 3}, {.requires_grad = true});
  const Tensor cotangent = tensor(2.0, {.requires_grad = true});
  const Tensor gradient =
      autograd::grad(x.mean(), x, {.grad_outputs = {cotangent}, .create_graph = true});
  EXPECT_EQ(gradient.shape(), Shape({0, 3}));
  gradient.sum().backward();
  EXPECT_EQ(cotangent.grad().item<float>(), 0);
}

}  // namespace
}  // namespace taper
