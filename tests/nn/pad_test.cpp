#include "taper/nn/functional/pad.h"
#include "nets.h"

namespace {

using namespace nets;
namespace F = taper::nn::functional;

const Tensor x = tensor({{1.0, 2.0, 3.0}});

TEST(Pad, SupportsEveryMode) {
  EXPECT_TRUE(equal(F::pad(x, {1, 2}), tensor({{0.0, 1.0, 2.0, 3.0, 0.0, 0.0}})));
  EXPECT_TRUE(equal(F::pad(x, {-1, 1}, {.value = 9}), tensor({{2.0, 3.0, 9.0}})));
  EXPECT_TRUE(
      equal(F::pad(x, {2, 1}, {.mode = "reflect"}), tensor({{3.0, 2.0, 1.0, 2.0, 3.0, 2.0}})));
  EXPECT_TRUE(
      equal(F::pad(x, {2, 1}, {.mode = "replicate"}), tensor({{1.0, 1.0, 1.0, 2.0, 3.0, 3.0}})));
  EXPECT_TRUE(
      equal(F::pad(x, {2, 1}, {.mode = "circular"}), tensor({{2.0, 3.0, 1.0, 2.0, 3.0, 1.0}})));
  EXPECT_TRUE(equal(F::pad(x, {0, 0, 1, 0}), tensor({{0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}})));
}

TEST(Pad, CropsBeforeCircularPadding) {
  const Tensor row = tensor({{1.0, 2.0, 3.0, 4.0, 5.0}});
  EXPECT_TRUE(
      equal(F::pad(row, {-1, 2}, {.mode = "circular"}), tensor({{2.0, 3.0, 4.0, 5.0, 2.0, 3.0}})));
  EXPECT_TRUE(
      equal(F::pad(row, {2, -1}, {.mode = "circular"}), tensor({{3.0, 4.0, 1.0, 2.0, 3.0, 4.0}})));
  EXPECT_TRUE(
      equal(F::pad(row, {-1, 2}, {.mode = "reflect"}), tensor({{2.0, 3.0, 4.0, 5.0, 4.0, 3.0}})));
  EXPECT_THROW(F::pad(row, {-3, 3}, {.mode = "circular"}), ShapeError);
}

TEST(Pad, ReturnsNewTensor) {
  const Tensor row = tensor({{1.0, 2.0, 3.0}});
  for (const char* mode : {"constant", "circular"}) F::pad(row, {-1, 0}, {.mode = mode}).fill_(9);
  F::pad(row, {0, 0}).fill_(9);
  EXPECT_TRUE(equal(row, x));
}

TEST(Pad, HasGradients) {
  const Tensor a = tensor({{1.0, 2.0, 3.0}}, {.requires_grad = true});
  F::pad(a, {2, 1}, {.mode = "reflect"}).sum().backward();
  EXPECT_TRUE(equal(a.grad(), tensor({{1.0, 3.0, 2.0}})));
}

// As in PyTorch, constant padding removes elements before it adds others; copies of the border may
// replace more elements than there are.
TEST(Pad, RejectsRemovingMoreElementsThanThereAre) {
  EXPECT_EQ(error_text<ShapeError>([&] {
              F::pad(ones({1, 1, 1}), {2, -2});
            }),
            "pad: more elements are removed than there are: got padding (2, -2) at dimension 2 of "
            "input [1, 1, 1]");
  EXPECT_TRUE(F::pad(ones({1, 1, 2}), {3, -2}).equal(zeros({1, 1, 3})));
  EXPECT_TRUE(F::pad(ones({1, 1, 1}), {2, -2}, {.mode = "replicate"}).equal(ones({1, 1, 1})));
  EXPECT_THROW(F::pad(ones({1, 1, 2, 2, 2}), {1, 1, 1, 1, 1, 1, 1, 1}, {.mode = "replicate"}),
               ShapeError);
}

TEST(Pad, RejectsInvalidArguments) {
  EXPECT_THROW(F::pad(x, {1}), ValueError);
  EXPECT_THROW(F::pad(x, {1, 1}, {.mode = "mirror"}), ValueError);
  EXPECT_THROW(F::pad(x, {1, 1}, {.mode = "reflect", .value = 2}), ValueError);
  EXPECT_EQ(error_text<ShapeError>([] {
              F::pad(x, {3, 0}, {.mode = "reflect"});
            }),
            "pad: Padding size should be less than the corresponding input dimension: got padding "
            "(3, 0) at dimension 1 of input [1, 3]");
  EXPECT_THROW(F::pad(x, {4, 0}, {.mode = "circular"}), ShapeError);
  EXPECT_THROW(F::pad(x, {-2, -2}), ShapeError);
  EXPECT_THROW(F::pad(x, {0, 0, 0, 0, 0, 0}), ShapeError);
}

}  // namespace
