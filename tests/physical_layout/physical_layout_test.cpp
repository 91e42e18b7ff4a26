// The internal channels-last layout: number of reorders of activations in a training step, and
// threads that share a tensor during a reorder.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "lenet/lenet.h"
#include "taper/core/memory.h"
#include "taper/taper.h"

namespace taper {
namespace {

/// Returns the number of activations that f() reorders.
template <class F> std::uint64_t reordered(F&& f) {
  memory::reset_reorders();
  f();
  return memory::reorders().activations;
}

struct Block : nn::Module {
  nn::Conv2d conv1{3, 16, 3, {.padding = 1, .bias = false}};
  nn::BatchNorm2d bn1{16}, bn2{16};
  nn::Conv2d conv2{16, 16, 3, {.padding = 1}};
  nn::MaxPool2d pool{2};
  TAPER_MODULE(Block, conv1, bn1, bn2, conv2, pool)

  Tensor forward(const Tensor& x) {
    const Tensor y = pool(F::relu(bn1(conv1(x))));
    return F::relu(bn2(conv2(y)) + y);
  }
};

TEST(PhysicalLayout, LeNetReordersOnlyForFlatten) {
  manual_seed(0);
  lenet::LeNet net;
  optim::SGD sgd(net.parameters(), {.lr = 0.01, .momentum = 0.9});
  const Tensor x = randn({8, 1, 28, 28}), label = randint(0, 10, {8});
  for (int step = 0; step < 3; ++step) {
    Tensor loss;
    EXPECT_EQ(reordered([&] { loss = F::nll_loss(net(x), label); }), 1u) << "flatten";
    EXPECT_EQ(reordered([&] { loss.backward(); }), 1u) << "its gradient";
    EXPECT_EQ(reordered([&] { sgd.step(); }), 0u);
    sgd.zero_grad();
  }
}

TEST(PhysicalLayout, ConvChainReordersOnlyItsInput) {
  manual_seed(0);
  Block block;
  Tensor x;
  for (int step = 0; step < 3; ++step) {
    x = randn({4, 3, 16, 16});
    Tensor y, loss;
    EXPECT_EQ(reordered([&] { y = block(x); }), 1u) << "the input";
    EXPECT_EQ(reordered([&] { loss = (y * y).mean(); }), 0u);
    EXPECT_EQ(reordered([&] { loss.backward(); }), 0u) << "the weight's gradient finds it turned";
    block.zero_grad();
  }
  EXPECT_EQ(reordered([&] { block(x); }), 0u) << "it has not been written to";
  const Tensor inner = block.pool(F::relu(block.bn1(block.conv1(x)))).detach();
  EXPECT_EQ(reordered([&] { block.conv2(inner).sum().backward(); }), 0u) << "no plain input";
}

TEST(PhysicalLayout, UsersReadRowMajorValues) {
  manual_seed(0);
  const Tensor x = randn({2, 3, 5, 4}), w = randn({6, 3, 3, 3});
  const Tensor y = F::conv2d(x, w);
  EXPECT_TRUE(y.is_contiguous());
  EXPECT_EQ(y.strides(), Shape({36, 6, 2, 1}));
  const Tensor copy = tensor(std::vector<float>(y.data<float>().begin(), y.data<float>().end()));
  EXPECT_TRUE(equal(copy.view(y.shape()), y));
  EXPECT_TRUE(equal(y.view({2, -1})[1][7], y[1][1][0][1]));
}

TEST(PhysicalLayout, ThreadsShareActivationDuringReorder) {
  manual_seed(0);
  const Tensor w = randn({8, 4, 3, 3}), next = randn({2, 8, 1, 1});
  for (int round = 0; round < 50; ++round) {
    NoGrad guard;
    const Tensor x = randn({3, 4, 10, 10});
    const Tensor y = F::conv2d(x, w), same = F::conv2d(x, w);
    const Tensor flat = same.view({3, -1}).clone(), pooled = F::conv2d(same, next).clone();
    std::vector<int> right(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < right.size(); ++t)
      threads.emplace_back([&, t] {
        NoGrad inner;
        // Half of the readers require row-major order, half channels-last; the first reader
        // reorders the tensor.
        right[t] = t % 2 ? equal(y.view({3, -1}), flat) : equal(F::conv2d(y, next), pooled);
      });
    for (std::thread& t : threads) t.join();
    for (const int r : right) EXPECT_TRUE(r) << "round " << round;
  }
}

}  // namespace
}  // namespace taper
