// A post-accumulate hook that runs an optimizer step and drops the gradient limits the memory of
// gradients.
#include <gtest/gtest.h>

#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/core/memory.h"

namespace taper {
namespace {

constexpr std::int64_t kWidth = 64;

struct Layers {
  std::vector<Tensor> weights, biases;

  explicit Layers(int count) {
    for (int i = 0; i < count; ++i) {
      const Tensor phase = arange(kWidth * kWidth, {.dtype = float32}) * 0.7 + i;
      weights.push_back((phase.sin() * 0.2).view({kWidth, kWidth}).detach().requires_grad_());
      biases.push_back(full({kWidth}, 0.01 * (i % 3), {.requires_grad = true}));
    }
  }
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = weights;
    all.insert(all.end(), biases.begin(), biases.end());
    return all;
  }
  Tensor loss() const {
    Tensor h = ones({1, kWidth});
    for (std::size_t i = 0; i < weights.size(); ++i) h = (h.matmul(weights[i]) + biases[i]).tanh();
    return h.sum();
  }
};

void step(const Tensor& parameter) {
  const NoGrad guard;
  parameter.add_(parameter.grad(), -0.1);
  parameter.set_grad({});
}

TEST(StepInBackward, KeepsAtMostThreeGradientsOfTwoHundredLayers) {
  constexpr int kLayers = 200;
  const Layers plain(kLayers), stepped(kLayers);
  plain.loss().backward();
  for (const Tensor& p : plain.parameters()) step(p);

  int calls = 0;
  for (const Tensor& p : stepped.parameters())
    p.register_post_accumulate_grad_hook([&](const Tensor& t) {
      int alive = 0;
      for (const Tensor& other : stepped.parameters()) alive += other.grad().defined();
      EXPECT_LE(alive, 3);
      step(t);
      ++calls;
    });
  {
    const Tensor loss = stepped.loss();
    memory::reset_peak();
    const std::size_t before = memory::stats().allocated;
    // The retained graph keeps its activations, so the additional allocations are gradients.
    loss.backward(Tensor(), true);
    const std::size_t gradient = kWidth * kWidth * sizeof(float);
    EXPECT_LT(memory::stats().peak - before, 4 * gradient);
  }
  EXPECT_EQ(calls, 2 * kLayers);
  for (int i = 0; i < kLayers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_TRUE(equal(stepped.weights[at], plain.weights[at])) << i;
    EXPECT_TRUE(equal(stepped.biases[at], plain.biases[at])) << i;
  }
}

}  // namespace
}  // namespace taper
