// Gradients of views of a part, which are added to the gradient of the whole in place where nothing
// else sees it.
#include <gtest/gtest.h>

#include <vector>

#include "taper/taper.h"

namespace {

using namespace taper;

/// Returns the sum of the parts of x, each multiplied by its own numbers.
Tensor weighted_parts(const Tensor& x, const Tensor& weights) {
  Tensor total = (x * weights[0]).sum();
  for (std::int64_t i = 0; i < x.size(0); ++i) total = total + (x[i] * weights[1][i]).sum();
  for (const Tensor& part : x.chunk(2, 1)) total = total + part.square().sum();
  return total + x.slice(1, 1, {}, 2).sum();
}
Tensor expected_gradient(const Tensor& x, const Tensor& weights) {
  Tensor odd = zeros_like(x);
  odd.slice(1, 1, {}, 2).fill_(1);
  return weights[0] + weights[1] + 2 * x.detach() + odd;
}

TEST(ViewGradients, PartsAddUpForLeavesAndResults) {
  manual_seed(1);
  const Tensor weights = randn({2, 3, 4});
  Tensor leaf = randn({3, 4}).requires_grad_();
  weighted_parts(leaf, weights).backward();
  EXPECT_TRUE(allclose(leaf.grad(), expected_gradient(leaf, weights)));

  Tensor other = leaf.detach().clone().requires_grad_();
  weighted_parts(other * 2, weights).backward();
  EXPECT_TRUE(allclose(other.grad(), 2 * expected_gradient(2 * leaf, weights)));

  // Gradients that were there before remain addends.
  weighted_parts(leaf, weights).backward();
  EXPECT_TRUE(allclose(leaf.grad(), 2 * expected_gradient(leaf, weights)));
}

TEST(ViewGradients, GradientsThatOthersHoldDoNotChange) {
  Tensor x = ones({2, 3}).requires_grad_();
  const Tensor y = x * 1;
  std::vector<Tensor> seen;
  const Tensor first = y[0], second = y[1];
  // The hook keeps the sum of all gradients of y, the first of which is the caller's.
  y.register_hook([&](const Tensor& g) {
    seen.push_back(g);
    return Tensor();
  });
  const Tensor sum_gradient = full({2, 3}, 5.0);
  const std::vector<Tensor> roots{y, (first * 2).sum(), (second * 3).sum()};
  autograd::backward(roots, {.grad_tensors = {sum_gradient, Tensor(), Tensor()}});
  EXPECT_TRUE(equal(sum_gradient, full({2, 3}, 5.0)));
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(equal(x.grad(), tensor({{7.0f, 7.0f, 7.0f}, {8.0f, 8.0f, 8.0f}})));
}

TEST(ViewGradients, HooksOfNodesSeeTheGradientOfThePart) {
  Tensor x = ones({2, 3}).requires_grad_();
  const Tensor first = x[0], second = x[1];
  std::vector<Tensor> results;
  using Gradients = std::vector<Tensor>;
  second.grad_fn().register_hook([&](const Gradients& grads, const Gradients&) {
    results.push_back(grads[0]);
    return Gradients();
  });
  (first.sum() + (second * 4).sum()).backward();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(equal(results[0], tensor({{0.0f, 0.0f, 0.0f}, {4.0f, 4.0f, 4.0f}})));
  EXPECT_TRUE(equal(x.grad(), tensor({{1.0f, 1.0f, 1.0f}, {4.0f, 4.0f, 4.0f}})));
}

TEST(ViewGradients, PartsAddUpInGraphsOfGradients) {
  Tensor x = tensor({{1.0f, 2.0f}, {3.0f, 4.0f}}).requires_grad_();
  const Tensor y = (x[0].pow(3) + x[1].pow(3) * 2).sum();
  const Tensor g = autograd::grad(y, x, {.create_graph = true});
  EXPECT_TRUE(allclose(g, tensor({{3.0f, 12.0f}, {54.0f, 96.0f}})));
  g.sum().backward();
  EXPECT_TRUE(allclose(x.grad(), tensor({{6.0f, 12.0f}, {36.0f, 48.0f}})));
}

}  // namespace
