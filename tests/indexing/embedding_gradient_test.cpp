// Gradient of the weight of an embedding: sums of rows in the order of the indices.
#include <gtest/gtest.h>

#include "support/tensors.h"
#include "support/threads.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::to_vector, test::with_thread_counts;

struct GradientCase {
  std::int64_t rows, columns, count;
  std::optional<std::int64_t> padding = {};
  bool scaled = false;
};

Tensor gradient_of_weight(const GradientCase& c, const Tensor& indices, const Tensor& g) {
  const Tensor weight = zeros({c.rows, c.columns}, {.dtype = g.dtype()}).set_requires_grad();
  F::embedding(indices, weight, {.padding_idx = c.padding, .scale_grad_by_freq = c.scaled})
      .backward(g);
  return weight.grad();
}

/// Returns the gradient computed with index_add in float64.
Tensor expected_gradient(const GradientCase& c, const Tensor& indices, const Tensor& g) {
  Tensor rows = g.to(float64);
  if (c.scaled) {
    const Tensor counts = bincount(indices, {}, c.rows).to(float64);
    rows = rows / counts.index_select(0, indices).unsqueeze(1);
  }
  if (c.padding) rows = rows.masked_fill((indices == *c.padding).unsqueeze(1), 0);
  return zeros({c.rows, c.columns}, {.dtype = float64}).index_add(0, indices, rows);
}

TEST(EmbeddingGradient, SumsRowsOfEqualIndices) {
  manual_seed(3);
  for (const GradientCase& c :
       {GradientCase{7, 5, 40}, GradientCase{2000, 33, 3000, 5, true},
        GradientCase{5000, 64, 300, 4999}, GradientCase{3, 1, 1000, {}, true}})
    for (const DType dtype : {float32, float64, bfloat16}) {
      const Tensor indices = randint(0, c.rows, {c.count}), g = randn({c.count, c.columns});
      const double tolerance = dtype == bfloat16 ? 0x1p-7 : 1e-5;  // roundings of sums of float
      EXPECT_TRUE(allclose(gradient_of_weight(c, indices, g.to(dtype)).to(float64),
                           expected_gradient(c, indices, g.to(dtype)), tolerance, tolerance));
    }
}

TEST(EmbeddingGradient, DoesNotDependOnTheNumberOfThreads) {
  manual_seed(4);
  const GradientCase c{3000, 64, 5000, 17, true};
  const Tensor indices = randint(0, c.rows, {c.count}), g = randn({c.count, c.columns});
  const auto all = with_thread_counts([&] { return gradient_of_weight(c, indices, g); });
  for (const Tensor& gradient : all) EXPECT_TRUE(equal(gradient, all[0]));
}

TEST(EmbeddingGradient, AddsInTheOrderOfTheIndices) {
  // In float32, (1 + 1e8) - 1e8 is 0, and (1e8 - 1e8) + 1 is 1.
  const Tensor g = tensor({{1.0}, {1e8}, {1e8}, {-1e8}, {-1e8}, {1.0}}).to(float32);
  const Tensor gradient = gradient_of_weight({4, 1, 6}, tensor({0, 2, 0, 2, 0, 2}), g);
  EXPECT_EQ(gradient.str(), "tensor([[0.],\n        [0.],\n        [1.],\n        [0.]])");
}

TEST(EmbeddingGradient, EmptyInput) {
  const GradientCase c{3, 2, 0};
  EXPECT_TRUE(
      equal(gradient_of_weight(c, zeros({0}, {.dtype = int64}), zeros({0, 2})), zeros({3, 2})));
}

}  // namespace
}  // namespace taper
