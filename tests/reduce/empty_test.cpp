// Empty dimensions in functions that reduce, integrate and count, as in PyTorch 2.15.
#include <gtest/gtest.h>

#include "taper/core/factory.h"
#include "taper/taper.h"

namespace {

using namespace taper;
namespace F = taper::nn::functional;

TEST(EmptyDimensions, HaveIntegralsOfZero) {
  for (const DType dtype : {float32, float64, int64}) {
    const Tensor y = zeros({3, 0}, {.dtype = dtype});
    const DType real = is_floating_point(dtype) ? dtype : float32;
    EXPECT_TRUE(trapezoid(y).equal(zeros({3}, {.dtype = dtype})));
    EXPECT_TRUE(trapezoid(y, y).equal(zeros({3}, {.dtype = dtype})));
    EXPECT_TRUE(trapezoid(zeros({3, 1}, {.dtype = dtype})).equal(zeros({3}, {.dtype = real})));
    EXPECT_TRUE(cumulative_trapezoid(y).equal(zeros({3, 0}, {.dtype = real})));
    EXPECT_TRUE(cumulative_trapezoid(y, y).equal(zeros({3, 0}, {.dtype = real})));
    EXPECT_TRUE(cumulative_trapezoid(zeros({3, 1}, {.dtype = dtype}), zeros({1}))
                    .equal(zeros({3, 0}, {.dtype = real})));
  }
  EXPECT_THROW(cumulative_trapezoid(zeros({0}, {.dtype = DType::bool_})), DTypeError);
  EXPECT_THROW(cumulative_trapezoid(zeros({1}), zeros({2})), ShapeError);
}

TEST(EmptyDimensions, DoNotHaveMedians) {
  for (const Shape& shape : {Shape{0, 0}, Shape{2, 0, 3}}) {
    EXPECT_THROW(zeros(shape).nanmedian(1), IndexError);
    EXPECT_THROW(zeros(shape).median(1), IndexError);
  }
  const auto [values, indices] = zeros({2, 0, 3}).nanmedian(2);
  EXPECT_EQ(values.shape(), Shape({2, 0}));
  EXPECT_EQ(indices.shape(), Shape({2, 0}));
}

TEST(EmptyInput, HasHistogramsOverTheUnitInterval) {
  const Tensor x = zeros({0});
  const auto [counts, edges] = histogram(x, 4);
  EXPECT_TRUE(counts.equal(zeros({4})));
  EXPECT_TRUE(edges.equal(tensor({0.f, 0.25f, 0.5f, 0.75f, 1.f})));
  EXPECT_TRUE(histc(x, 4).equal(zeros({4})));
  EXPECT_TRUE(
      bincount(zeros({0}, {.dtype = int64}), zeros({0}), 3).equal(zeros({3}, {.dtype = int64})));
}

// A given range is not replaced by that of the data, even if it has no width.
TEST(Histogram, WidensARangeWithoutWidth) {
  const auto [counts, edges] = histogram(tensor({0.f, 1.f, 1.25f, 5.f}), 2, std::pair(1.0, 1.0));
  EXPECT_TRUE(edges.equal(tensor({0.5f, 1.f, 1.5f})));
  EXPECT_TRUE(counts.equal(tensor({0.f, 2.f})));
}

TEST(TopK, SelectsTheElementOfATensorWithoutDimensions) {
  for (const std::int64_t k : {0, 1}) {
    const auto [values, indices] = full({}, 5.0).topk(k);
    EXPECT_TRUE(values.equal(full({}, 5.0)));
    EXPECT_TRUE(indices.equal(full({}, 0, {.dtype = int64})));
  }
  EXPECT_THROW(full({}, 5.0).topk(2), ValueError);
  EXPECT_THROW(full({}, 5.0).topk(-1), ValueError);
  EXPECT_EQ(zeros({2, 3}).topk(0).first.shape(), Shape({2, 0}));
}

TEST(EmptyBatch, IsConvolvedAndPadded) {
  const Tensor x = zeros({0, 2, 0}), w = ones({3, 2, 2}).set_requires_grad();
  const Tensor y = F::conv1d(x, w, {}, {.padding = 1});
  EXPECT_EQ(y.shape(), Shape({0, 3, 1}));
  y.sum().backward();
  EXPECT_TRUE(w.grad().equal(zeros_like(w)));
  EXPECT_EQ(F::conv_transpose1d(x, ones({2, 3, 2})).shape(), Shape({0, 3, 1}));
  EXPECT_THROW(F::conv1d(zeros({1, 2, 0}), w, {}, {.padding = 1}), ShapeError);
  EXPECT_THROW(F::conv_transpose1d(zeros({1, 2, 0}), ones({2, 3, 2})), ShapeError);
  EXPECT_EQ(F::pad(zeros({0, 2, 0}), {0, 0}, {.mode = "circular"}).shape(), Shape({0, 2, 0}));
  EXPECT_EQ(F::pad(zeros({1, 2, 4, 0}), {0, 0, 1, 2}, {.mode = "circular"}).shape(),
            Shape({1, 2, 7, 0}));
  EXPECT_THROW(F::pad(zeros({0, 2, 0}), {1, 0}, {.mode = "circular"}), ShapeError);
}

}  // namespace
