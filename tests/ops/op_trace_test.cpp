// OpTrace, from which a graph can be captured, stores everything needed to recompute its results.
#include "ops/op_trace.h"

#include <gtest/gtest.h>

#include "lenet/lenet.h"
#include "support/contains.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::contains;

TEST(OpTrace, ListsOpsWithAttributes) {
  const Tensor x = ones({2, 3});
  OpTrace record;
  const Tensor y = x.add(x, 2).t();
  y.mul_(0.5);
  EXPECT_EQ(record.str(),
            "%1 = add(%0, %0, alpha=2)\n"
            "%2 = t(%1, dim0=0, dim1=1)\n"
            "%2 = mul_(%2, 0.5)\n");
}

TEST(OpTrace, ReplaysWithOtherInputs) {
  manual_seed(0);
  Tensor x = randn({5, 4}), shift = randn({4}), other = randn({5, 4});
  const auto compute = [&](const Tensor& in) {
    Tensor y = in.clone();
    y.narrow(1, 0, 2).mul_(3);
    return std::vector<Tensor>{(y + shift).relu(), y.max(1).second};
  };
  OpTrace record;
  const std::vector<Tensor> first = compute(x);
  const std::size_t steps = record.size();
  const auto again = record.replay({&x, 1}, {&other, 1}, first);
  EXPECT_EQ(record.size(), steps);
  const auto expected = compute(other);
  EXPECT_TRUE(equal(again[0], expected[0]));
  EXPECT_TRUE(equal(again[1], expected[1]));
  EXPECT_GT(record.size(), steps);
}

TEST(OpTrace, RecordsTrainingStepOfLeNet) {
  manual_seed(1);
  lenet::LeNet net;
  const Tensor x = randn({3, 1, 28, 28}), other = randn({3, 1, 28, 28});
  const Tensor y = tensor({1, 2, 3});
  const Tensor weight = net.conv1.weight;
  const auto gradient = [&](const Tensor& in) {
    return autograd::grad(F::nll_loss(net(in), y), weight);
  };
  std::vector<Tensor> wanted;
  std::string text;
  std::vector<Tensor> again;
  {
    OpTrace record;
    wanted = {gradient(x)};
    text = record.str();
    again = record.replay({&x, 1}, {&other, 1}, wanted);
  }
  EXPECT_TRUE(contains(text, "convolution("));
  EXPECT_TRUE(contains(text, "convolution_weight("));
  EXPECT_TRUE(equal(again[0], gradient(other)));
}

TEST(OpTrace, RejectsUnrecordedTensors) {
  const Tensor x = ones({2}), stranger = ones({2});
  OpTrace record;
  const Tensor y = x + x;
  EXPECT_THROW(record.replay({&x, 1}, {}, {&y, 1}), ValueError);
  EXPECT_THROW(record.replay({&x, 1}, {&x, 1}, {&stranger, 1}), ValueError);
}

}  // namespace
}  // namespace taper
