// Activations with random numbers: RReLU and Gumbel softmax.
#include <gtest/gtest.h>

#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/core/generator.h"
#include "taper/nn/nn.h"

namespace {

using namespace taper;

TEST(RReLU, DrawsSlopePerNegativeElement) {
  manual_seed(1);
  const Tensor x = tensor({-1., 2., -1., 0.}, {.requires_grad = true});
  const Tensor y = F::rrelu(x, 0.25, 0.5, {.training = true});
  EXPECT_EQ(y.grad_fn().name(), "RreluWithNoiseBackward0");
  const Tensor values = y.detach();
  const auto v = values.data<float>();
  EXPECT_EQ(v[1], 2);
  EXPECT_NE(v[0], v[2]);
  for (const float slope : {-v[0], -v[2]}) EXPECT_TRUE(slope >= 0.25 && slope < 0.5);
  y.sum().backward();
  EXPECT_EQ(x.grad()[0].item<float>(), -v[0]);
  EXPECT_EQ(x.grad()[1].item<float>(), 1);
}

TEST(RReLU, UsesMeanSlopeInEvaluation) {
  const auto before = get_rng_state();
  nn::RReLU layer(0.25, 0.75);
  layer.eval();
  EXPECT_EQ(layer(tensor({-2., 2.})).str(), "tensor([-1.,  2.])");
  EXPECT_EQ(get_rng_state(), before);
  EXPECT_EQ(nn::RReLU().str(), "RReLU(lower=0.125, upper=0.3333333333333333)");
  EXPECT_EQ(nn::RReLU(0.5, 1, {.inplace = true}).str(),
            "RReLU(lower=0.5, upper=1.0, inplace=True)");
}

TEST(RReLU, InPlaceUsesSameDraws) {
  manual_seed(2);
  const Tensor x = full({20}, -1.0), expected = F::rrelu(x, 0.1, 0.9, {.training = true});
  manual_seed(2);
  EXPECT_TRUE(F::rrelu(x, 0.1, 0.9, {.training = true, .inplace = true}).is_same(x));
  EXPECT_TRUE(equal(x, expected));
}

TEST(RReLU, RejectsSwappedBounds) {
  const auto before = get_rng_state();
  const Tensor x = full({2}, -1.0);
  EXPECT_THROW(F::rrelu(x, 0.5, 0.25), ValueError);
  EXPECT_THROW(F::rrelu(x, 0.5, 0.25, {.training = true}), ValueError);
  EXPECT_THROW(F::rrelu(x.to(int64), 0.25, 0.5, {.training = true}), DTypeError);
  EXPECT_EQ(get_rng_state(), before);
}

TEST(GumbelSoftmax, ReturnsDistributionsOrOneHotVectors) {
  manual_seed(3);
  const Tensor logits = zeros({50, 4}, {.requires_grad = true});
  const Tensor soft = F::gumbel_softmax(logits, 0.5);
  EXPECT_TRUE(allclose(soft.sum(1), ones({50})));
  EXPECT_TRUE((soft > 0).all().item<bool>());
  const Tensor hard = F::gumbel_softmax(logits, 0.5, {.hard = true});
  EXPECT_TRUE(equal(hard.count_nonzero(1), ones({50}, {.dtype = int64})));
  EXPECT_TRUE(allclose(hard.amax(1), ones({50})));
  (hard * arange(4)).sum().backward();
  EXPECT_GT(logits.grad().abs().sum().item<float>(), 0);
}

}  // namespace
