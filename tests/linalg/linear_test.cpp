// Biases of linear that are not a vector of one element per output: as in PyTorch 2.15, they are
// broadcast to the product, or rejected.
#include <gtest/gtest.h>

#include "support/error_text.h"
#include "taper/autograd/autograd.h"
#include "taper/core/factory.h"
#include "taper/nn/functional/linear.h"
#include "taper/ops/linalg.h"

namespace {

using namespace taper;
using nn::functional::linear;
using test::error_message;

TEST(Linear, BroadcastsTheBiasToTheProduct) {
  const Tensor x = ones({4, 3, 2}), w = ones({3, 2});
  for (const Shape& bias : {Shape{}, Shape{1}, Shape{3}, Shape{1, 3}, Shape{3, 3}, Shape{1, 1},
                            Shape{4, 3, 3}, Shape{4, 1, 3}})
    EXPECT_TRUE(linear(x, w, ones(bias)).equal(full({4, 3, 3}, 3.0))) << bias.str();
  for (const Shape& bias : {Shape{}, Shape{1}, Shape{3}, Shape{1, 3}, Shape{4, 3}, Shape{4, 1}})
    EXPECT_TRUE(linear(x.select(1, 0), w, ones(bias)).equal(full({4, 3}, 3.0))) << bias.str();
  EXPECT_TRUE(linear(ones({2}), ones({2}), full({}, 1.0)).equal(full({}, 3.0)));
  EXPECT_TRUE(linear(x, ones({2}), ones({4, 3})).equal(full({4, 3}, 3.0)));
  const Tensor bias = ones({4, 3, 1}).set_requires_grad();
  EXPECT_TRUE(autograd::grad(linear(x, w, bias).sum(), bias).equal(full({4, 3, 1}, 3.0)));
}

TEST(Linear, DoesNotBroadcastTheProductToTheBias) {
  const auto message = [](const Shape& x, const Shape& w, const Shape& bias) {
    return error_message([&] { return linear(ones(x), ones(w), ones(bias)); });
  };
  EXPECT_EQ(message({2}, {2}, {3}), "linear: mat2 must be a matrix, got 1-D tensor");
  EXPECT_EQ(message({2}, {2}, {1}), "linear: mat2 must be a matrix, got 1-D tensor");
  EXPECT_EQ(message({3, 2}, {2}, {}), "linear: mat2 must be a matrix, got 1-D tensor");
  EXPECT_EQ(message({2}, {2}, {3, 3}),
            "linear: output with shape [] doesn't match the broadcast shape [3, 3]");
  EXPECT_EQ(message({2}, {3, 2}, {4, 3}),
            "linear: output with shape [3] doesn't match the broadcast shape [4, 3]");
  for (const Shape& bias : {Shape{2}, Shape{4}, Shape{3, 1}, Shape{4, 1}, Shape{4, 3}, Shape{1, 1}})
    EXPECT_THROW(linear(ones({2}), ones({3, 2}), ones(bias)), ShapeError) << bias.str();
  for (const Shape& bias : {Shape{2}, Shape{4, 3, 3}, Shape{2, 3}})
    EXPECT_THROW(linear(ones({4, 2}), ones({3, 2}), ones(bias)), ShapeError) << bias.str();
  for (const Shape& bias : {Shape{2}, Shape{4, 3}, Shape{12, 3}, Shape{3, 1}, Shape{4, 1, 1}})
    EXPECT_THROW(linear(ones({4, 3, 2}), ones({3, 2}), ones(bias)), ShapeError) << bias.str();
}

TEST(Linear, HasTheDtypeOfTheProduct) {
  const Tensor bias = full({}, 1.0, {.dtype = float64});
  EXPECT_EQ(linear(ones({2}), ones({3, 2}), bias).dtype(), float32);
  EXPECT_THROW(linear(tensor({1}), tensor({{1}}), bias), DTypeError);
}

}  // namespace
