// Functions of data::transforms. Values are compared with torchvision's in
// tests/oracle/kit_test.cpp.
#include <gtest/gtest.h>

#include <limits>

#include "support/error_text.h"
#include "support/threads.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/data/transforms/functional.h"

namespace {

using namespace taper;
namespace F = data::transforms::functional;
using data::transforms::Numbers;
using test::error_text;

Tensor counting_image(const Shape& shape) {
  return arange(shape.numel()).to(DType::u8).reshape(shape);
}

TEST(Crop, FillsOutsideOfTheImageWithZeros) {
  const Tensor x = ones({1, 2, 3});
  EXPECT_TRUE(F::crop(x, -1, 2, 2, 3)[0].equal(tensor({{0.f, 0.f, 0.f}, {1.f, 0.f, 0.f}})));
  EXPECT_TRUE(F::crop(x, 5, 0, 2, 3).equal(zeros({1, 2, 3})));
  EXPECT_TRUE(F::crop(x, -9, -9, 2, 3).equal(zeros({1, 2, 3})));
  EXPECT_EQ(F::crop(x, 0, 0, 0, 2).shape(), Shape({1, 0, 2}));
  EXPECT_THROW(F::crop(x, 0, 0, -1, 2), ValueError);
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(F::crop(x, kMin, -(kMin + 1), 2, 3).equal(zeros({1, 2, 3})));
}

TEST(Crop, ReturnsViewInsideOfTheImage) {
  const Tensor x = counting_image({1, 4, 5});
  EXPECT_TRUE(F::crop(x, 1, 2, 2, 3).shares_storage_with(x));
}

TEST(CenterCrop, RoundsHalfToEven) {
  const Tensor x = counting_image({1, 1, 5});
  EXPECT_TRUE(F::center_crop(x, {1, 2}).flatten().equal(tensor({2, 3}, {.dtype = uint8})));
  EXPECT_TRUE(F::center_crop(x, {1, 8}).flatten().equal(
      tensor({0, 0, 1, 2, 3, 4, 0, 0}, {.dtype = uint8})));
}

TEST(Pad, RepeatsTheBorderInSymmetricMode) {
  const Tensor x = tensor({1, 2, 3}).reshape({1, 1, 3});
  EXPECT_TRUE(F::pad(x, {2, 0, 1, 0}, {.padding_mode = "symmetric"})
                  .flatten()
                  .equal(tensor({2, 1, 1, 2, 3, 3})));
  EXPECT_TRUE(
      F::pad(x, {-1, 0, 1, 0}, {.padding_mode = "symmetric"}).flatten().equal(tensor({2, 3, 3})));
  EXPECT_THROW(F::pad(x, {4, 0}, {.padding_mode = "symmetric"}), ShapeError);
}

TEST(Pad, FillsChannelsSeparately) {
  const Tensor y = F::pad(ones({2, 1, 1}), {1, 0, 0, 0}, {.fill = {2, 3}});
  EXPECT_TRUE(y.flatten().equal(tensor({2.f, 1.f, 3.f, 1.f})));
  EXPECT_THROW(F::pad(ones({2, 1, 1}), 1, {.fill = {1, 2, 3}}), ValueError);
  EXPECT_THROW(F::pad(ones({2, 3, 3}), 1, {.fill = {1, 2}, .padding_mode = "edge"}), ValueError);
}

TEST(Resize, ReturnsTheInputForItsSize) {
  const Tensor x = ones({3, 4, 5});
  EXPECT_TRUE(F::resize(x, {4, 5}).is_same(x));
  EXPECT_EQ(F::resize(x, 8).shape(), Shape({3, 8, 10}));
  EXPECT_EQ(F::resize(x, 8, {.max_size = 9}).shape(), Shape({3, 7, 9}));
  EXPECT_EQ(F::resize(x, {}, {.max_size = 10}).shape(), Shape({3, 8, 10}));
  EXPECT_EQ(F::resize(ones({2, 0, 3, 4, 5}), {2, 2}).shape(), Shape({2, 0, 3, 2, 2}));
}

TEST(Resize, RoundsIntegers) {
  const Tensor x = tensor({-300, 300}, {.dtype = DType::i16}).reshape({1, 1, 2});
  const Tensor y = F::resize(x, {1, 3}, {.antialias = false});
  EXPECT_TRUE(y.flatten().equal(tensor({-300, 0, 300}, {.dtype = DType::i16})));
}

TEST(Resize, RejectsInvalidOptions) {
  const Tensor x = ones({3, 4, 5});
  EXPECT_THROW(F::resize(x, {}), ValueError);
  EXPECT_THROW(F::resize(x, {1, 2, 3}), ValueError);
  EXPECT_THROW(F::resize(x, {1, -2}), ShapeError);
  EXPECT_THROW(F::resize(x, 1 << 20, {.max_size = 3}), ValueError);
  EXPECT_THROW(F::resize(ones({4, 5}), {2, 2}), ShapeError);
  EXPECT_THROW(F::resize(Tensor(), {2, 2}), ShapeError);
  EXPECT_EQ(error_text<ValueError>([&] {
              F::resize(x, {2, 2}, {.interpolation = "box"});
            }),
            "resize: interpolation must be 'nearest', 'nearest-exact', 'bilinear', 'bicubic' or "
            "'lanczos': got 'box'");
}

TEST(Rotate, TransposesQuarterTurns) {
  const Tensor x = counting_image({1, 2, 3});
  EXPECT_TRUE(F::rotate(x, 90, {.expand = true}).equal(x.rot90(1, {-2, -1})));
  EXPECT_TRUE(F::rotate(x, -180).equal(x.rot90(2, {-2, -1})));
  EXPECT_TRUE(F::rotate(x, 360).equal(x));
  EXPECT_FALSE(F::rotate(x, 720).shares_storage_with(x));
  EXPECT_THROW(F::rotate(x, std::numeric_limits<double>::infinity()), ValueError);
}

TEST(Affine, TranslatesWholePixels) {
  const Tensor x = counting_image({2, 3, 4}) + 1;
  const Tensor y = F::affine(x, {.translate = {1, 0}});
  EXPECT_TRUE(y.narrow(-1, 1, 3).equal(x.narrow(-1, 0, 3)));
  EXPECT_TRUE(y.narrow(-1, 0, 1).equal(zeros({2, 3, 1}, {.dtype = uint8})));
  EXPECT_TRUE(F::affine(x, {.translate = {1, 0}}, {.fill = {7, 9}})
                  .narrow(-1, 0, 1)
                  .narrow(-2, 0, 1)
                  .flatten()
                  .equal(tensor({7, 9}, {.dtype = uint8})));
}

TEST(Perspective, KeepsTheImageForEqualPoints) {
  const Tensor x = rand({3, 5, 6});
  const data::transforms::Corners corners{{{0, 0}, {5, 0}, {5, 4}, {0, 4}}};
  EXPECT_LT((F::perspective(x, corners, corners) - x).abs().max().item<double>(), 1e-5);
  const data::transforms::Corners same(4, {1, 1});
  EXPECT_THROW(F::perspective(x, corners, same), Error);
  EXPECT_THROW(F::perspective(x, std::vector<double>{1, 2}), ValueError);
}

TEST(Warps, AcceptEmptyBatches) {
  const Tensor x = ones({0, 3, 4, 5});
  EXPECT_EQ(F::rotate(x, 10).shape(), x.shape());
  EXPECT_EQ(F::gaussian_blur(x, 3).shape(), x.shape());
  EXPECT_EQ(F::adjust_hue(x, 0.1).shape(), x.shape());
  EXPECT_EQ(F::equalize(x).shape(), x.shape());
}

TEST(Warps, ComputeAtEachPixelWithAnyNumberOfThreads) {
  const Tensor x = rand({2, 3, 64, 48});
  const std::vector<Tensor> results = test::with_thread_counts([&] {
    return F::gaussian_blur(F::rotate(F::resize(x, {50, 70}), 12, {.interpolation = "bilinear"}),
                            5);
  });
  for (const Tensor& y : results) EXPECT_TRUE(y.equal(results[0]));
}

TEST(Color, AcceptsStridedImages) {
  const Tensor x = rand({4, 6, 3}).permute({2, 0, 1});
  EXPECT_TRUE(F::adjust_hue(x, 0.2).equal(F::adjust_hue(x.contiguous(), 0.2)));
  EXPECT_TRUE(F::equalize(x).equal(F::equalize(x.contiguous())));
  EXPECT_TRUE(F::adjust_sharpness(x, 2).equal(F::adjust_sharpness(x.contiguous(), 2)));
}

TEST(Color, IsDifferentiable) {
  const Tensor x = rand({3, 4, 4}, {.requires_grad = true});
  F::adjust_hue(F::adjust_contrast(x, 0.5), 0.1).sum().backward();
  EXPECT_EQ(x.grad().shape(), x.shape());
}

TEST(Invert, KeepsTheSignBit) {
  EXPECT_TRUE(F::invert(tensor({0, 32767}, {.dtype = DType::i16}))
                  .equal(tensor({32767, 0}, {.dtype = DType::i16})));
  EXPECT_THROW(F::invert(tensor({true})), DTypeError);
}

TEST(Normalize, RejectsIntegersAndWrongCounts) {
  EXPECT_THROW(F::normalize(ones({3, 2, 2}, {.dtype = uint8}), 0, 1), DTypeError);
  EXPECT_THROW(F::normalize(ones({3, 2, 2}), {0, 0}, 1), ShapeError);
  EXPECT_THROW(F::normalize(ones({3, 2, 2}), {}, 1), ShapeError);
  EXPECT_TRUE(F::normalize(ones({3, 2, 2}), 1, 2).equal(zeros({3, 2, 2})));
}

TEST(Erase, ClipsTheRectangleAndCopies) {
  const Tensor x = zeros({1, 2, 2});
  EXPECT_TRUE(F::erase(x, 1, 1, 5, 5, tensor(3.f)).flatten().equal(tensor({0.f, 0.f, 0.f, 3.f})));
  EXPECT_TRUE(F::erase(x, 7, 7, 1, 1, tensor(3.f)).equal(x));
  EXPECT_TRUE(x.equal(zeros({1, 2, 2})));
}

TEST(GaussianNoise, DrawsFromTheGivenGenerator) {
  const Tensor x = zeros({1, 4, 4});
  manual_seed(1);
  const auto before = get_rng_state();
  const Tensor y = F::gaussian_noise(x, 0, 0.1, false, Generator(5));
  EXPECT_EQ(get_rng_state(), before);
  manual_seed(5);
  EXPECT_TRUE(F::gaussian_noise(x, 0, 0.1, false).equal(y));
  EXPECT_THROW(F::gaussian_noise(tensor({{{1}}})), DTypeError);
}

TEST(Numbers, AcceptsOneNumberOrSeveral) {
  EXPECT_TRUE(Numbers().empty());
  EXPECT_EQ(Numbers(3)[0], 3);
  EXPECT_EQ((Numbers{1, 2.5}).size(), 2u);
}

}  // namespace
