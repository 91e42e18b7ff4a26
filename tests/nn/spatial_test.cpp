#include <gtest/gtest.h>

#include "nets.h"
#include "support/error_text.h"
#include "taper/nn/nn.h"

namespace {

using namespace taper;
using taper::test::error_text;

TEST(PixelShuffle, IsInvertedByPixelUnshuffle) {
  const Tensor x = arange(24).reshape({2, 4, 1, 3});
  const Tensor y = nn::PixelShuffle(2)(x);
  EXPECT_EQ(y.shape(), Shape({2, 1, 2, 6}));
  EXPECT_TRUE(y[0][0].equal(tensor({0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}).reshape({2, 6})));
  EXPECT_TRUE(nn::PixelUnshuffle(2)(y).equal(x));
  EXPECT_EQ(error_text<ShapeError>([] {
              F::pixel_shuffle(zeros({1, 6, 2, 2}), 2);
            }).substr(0, 60),
            "pixel_shuffle expects its input's 'channel' dimension to be ");
  EXPECT_THROW(F::pixel_unshuffle(zeros({1, 2, 2}), 0), ValueError);
}

TEST(PixelShuffle, DoesNotShareTheStorageOfItsInput) {
  const Tensor x = ones({1, 2, 2});
  EXPECT_FALSE(F::pixel_shuffle(x, 1).shares_storage_with(x));
  EXPECT_FALSE(F::channel_shuffle(ones({1, 2, 2}), 1).shares_storage_with(x));
}

TEST(Fold, CountsTheBlocksOfEachElement) {
  const Tensor x = ones({1, 1, 3, 3}), columns = F::unfold(x, {2, 2});
  EXPECT_EQ(columns.shape(), Shape({1, 4, 4}));
  const Tensor sums = F::fold(columns, {3, 3}, {2, 2});
  EXPECT_TRUE(sums.reshape({9}).equal(tensor({1.f, 2.f, 1.f, 2.f, 4.f, 2.f, 1.f, 2.f, 1.f})));
  EXPECT_THROW(F::fold(zeros({1, 4, 5}), {3, 3}, {2, 2}), ShapeError);
  EXPECT_THROW(F::unfold(x, {4, 4}), ShapeError);
  EXPECT_THROW(F::unfold(x, {2, 2}, {.stride = 0}), ShapeError);
}

TEST(Unfold, RejectsSizesThatOverflow) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 31;
  const Tensor x = empty({1, 4, 1, 1}, {.device = Device::meta()});
  const Shape large{kLarge, kLarge};
  EXPECT_THROW(F::unfold(x, large, {.padding = large}), ShapeError);
  EXPECT_THROW(F::unfold(x.expand({1, 4, kLarge, kLarge}), {1, 1}, {.padding = large}), ShapeError);
  EXPECT_THROW(F::unfold(x.expand({1, 4, 2 * kLarge, 1}), {1, 1}), ShapeError);
}

TEST(Upsample, InterpolatesBetweenAlignedCorners) {
  const Tensor x = tensor({0.f, 2.f}).reshape({1, 1, 2});
  const Tensor y = nn::Upsample({.size = 3, .mode = "linear", .align_corners = true})(x);
  EXPECT_TRUE(y.reshape({3}).equal(tensor({0.f, 1.f, 2.f})));
  const Tensor near = nn::Upsample({.scale_factor = 2.0})(x);
  EXPECT_TRUE(near.reshape({4}).equal(tensor({0.f, 0.f, 2.f, 2.f})));
  EXPECT_EQ(nn::Upsample({.size = {3, 4}}).str(), "Upsample(size=(3, 4), mode='nearest')");
  EXPECT_EQ(nn::Upsample({.scale_factor = {2.0, 3.0}}).str(),
            "Upsample(scale_factor=(2.0, 3.0), mode='nearest')");
}

// The numbers were computed by PyTorch 2.15.
TEST(Interpolate, RoundsTheSumOfTheWeightsOfABorderElement) {
  const Tensor x = tensor({235, 122, 193, 170}, {.dtype = uint8}).reshape({1, 1, 1, 4});
  const Tensor y = F::interpolate(x, {.size = {1, 9}, .mode = "bicubic", .align_corners = false});
  EXPECT_TRUE(
      y.flatten().equal(tensor({247, 218, 157, 121, 149, 190, 192, 175, 168}, {.dtype = uint8})));
}

TEST(Interpolate, DifferentiatesTheSelectionOfAnUnchangedSize) {
  // PyTorch 2.15 returns the gradient unchanged although the first element is selected twice.
  const Tensor x = tensor({1.f, 2.f, 3.f, 4.f}).reshape({1, 1, 4}).set_requires_grad();
  const Tensor y = F::interpolate(x, {.scale_factor = 1.14});
  EXPECT_TRUE(y.reshape({4}).equal(tensor({1.f, 1.f, 2.f, 3.f})));
  y.sum().backward();
  EXPECT_TRUE(x.grad().reshape({4}).equal(tensor({2.f, 1.f, 1.f, 0.f})));
}

TEST(Interpolate, IsCalledByTheNamesOfUpsampling) {
  const Tensor x = arange(4, {.dtype = float32}).reshape({1, 1, 2, 2});
  const Tensor y =
      F::interpolate(x, {.scale_factor = 2, .mode = "bilinear", .align_corners = true});
  EXPECT_TRUE(F::upsample(x, {.size = 4, .mode = "bilinear", .align_corners = true}).equal(y));
  EXPECT_TRUE(F::upsample_bilinear(x, {.scale_factor = {2, 2}}).equal(y));
  EXPECT_TRUE(F::upsample_nearest(x, {.size = {4, 2}}).equal(F::interpolate(x, {.size = {4, 2}})));
}

/// Returns the row of indices that nearest interpolation selects along the last dimension of an
/// input of `dims` spatial dimensions, and their gradient for a gradient of ones.
std::pair<Tensor, Tensor> selection(std::size_t dims, std::int64_t size, double factor) {
  Shape shape{1, 1};
  std::vector<double> factors(dims, 1.0);
  for (std::size_t d = 0; d + 1 < dims; ++d) shape.push_back(1);
  shape.push_back(size), factors.back() = factor;
  const Tensor x =
      arange(size, {.dtype = float64}).reshape(shape).detach().clone().set_requires_grad();
  const Tensor y = F::interpolate(x, {.scale_factor = factors});
  y.sum().backward();
  return {y.flatten().to(int64), x.grad().flatten().to(int64)};
}

// As in PyTorch, whose kernel for images copies an unchanged size and repeats the elements of a
// doubled one, but samples signals and volumes by the factor.
TEST(Interpolate, CopiesAndDoublesImagesWhateverTheFactor) {
  EXPECT_TRUE(selection(2, 3, 1.3).first.equal(tensor({0, 1, 2})));
  EXPECT_TRUE(selection(2, 3, 1.3).second.equal(tensor({1, 1, 1})));
  EXPECT_TRUE(selection(2, 3, 2.3).first.equal(tensor({0, 0, 1, 1, 2, 2})));
  EXPECT_TRUE(selection(2, 3, 2.3).second.equal(tensor({2, 2, 2})));
  EXPECT_TRUE(selection(2, 4, 1.6).first.equal(tensor({0, 0, 1, 1, 2, 3})));
  for (const std::size_t dims : {std::size_t{1}, std::size_t{3}}) {
    EXPECT_TRUE(selection(dims, 3, 1.3).first.equal(tensor({0, 0, 1})));
    EXPECT_TRUE(selection(dims, 3, 1.3).second.equal(tensor({2, 1, 0})));
    EXPECT_TRUE(selection(dims, 3, 2.3).first.equal(tensor({0, 0, 0, 1, 1, 2})));
  }
  // Each dimension by itself, also in the channels-last layout and for bytes.
  const Tensor x = arange(6).reshape({1, 1, 2, 3}).to(float32);
  const Tensor expected = tensor({0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}).reshape({1, 1, 4, 3});
  const F::InterpolateFuncOptions o{.scale_factor = std::vector<double>{2.4, 1.3}};
  EXPECT_TRUE(F::interpolate(x, o).equal(expected.to(float32)));
  EXPECT_TRUE(F::interpolate(x.to(uint8), o).equal(expected.to(uint8)));
  const Tensor channels_last =
      x.expand({1, 2, 2, 3}).contiguous(MemoryFormat::channels_last).detach();
  EXPECT_TRUE(F::interpolate(channels_last, o).equal(expected.expand({1, 2, 4, 3}).to(float32)));
  // Only the mode "nearest".
  EXPECT_TRUE(
      F::interpolate(arange(3).reshape({1, 1, 1, 3}).to(float32),
                     {.scale_factor = std::vector<double>{1.0, 1.3}, .mode = "nearest-exact"})
          .flatten()
          .equal(tensor({0.f, 1.f, 1.f})));
}

// Positions in float64 tensors are products of doubles that PyTorch rounds to float, those in byte
// tensors are products of floats. The numbers were computed by PyTorch 2.15.
TEST(Interpolate, RoundsPositionsAsPyTorch) {
  const auto element = [](DType dtype, std::int64_t size, double factor, std::int64_t position) {
    const Tensor x = arange(size).reshape({1, 1, size}).to(dtype);
    const Tensor y = F::interpolate(x, {.scale_factor = std::vector<double>{factor}});
    return y[0][0][position].to(int64).item<std::int64_t>();
  };
  // 17 / (17 / 3) is 2.9999999999999996 in double, and 3 in float.
  for (const DType dtype : {float32, float64, uint8}) EXPECT_EQ(element(dtype, 4, 17.0 / 3, 17), 3);
  // 23 / (23 / 7) is 7 in double, and 6.9999995 in float.
  EXPECT_EQ(element(float32, 8, 23.0 / 7, 23), 6);
  EXPECT_EQ(element(uint8, 8, 23.0 / 7, 23), 6);
  EXPECT_EQ(element(float64, 8, 23.0 / 7, 23), 7);
}

TEST(Interpolate, AcceptsEmptyResultsByArea) {
  const Tensor x = ones({2, 3, 4, 4, 4}).set_requires_grad();
  const Tensor y = F::adaptive_avg_pool3d(x, {0, 2, 2});
  EXPECT_EQ(y.shape(), Shape({2, 3, 0, 2, 2}));
  y.sum().backward();
  EXPECT_TRUE(x.grad().equal(zeros_like(x)));
  EXPECT_EQ(F::interpolate(zeros({2, 0, 4}), {.size = Shape{3}, .mode = "area"}).shape(),
            Shape({2, 0, 3}));
  EXPECT_EQ(F::adaptive_avg_pool2d(zeros({2, 0, 4, 4}), {3, 2}).shape(), Shape({2, 0, 3, 2}));
  EXPECT_EQ(F::adaptive_avg_pool1d(zeros({2, 0, 4}), 3).shape(), Shape({2, 0, 3}));
  EXPECT_THROW(F::adaptive_avg_pool2d(zeros({2, 2, 0, 4}), 2), ShapeError);
  EXPECT_THROW(F::interpolate(zeros({2, 0, 4}), {.size = Shape{3}}), ShapeError);
}

TEST(Interpolate, RejectsContradictoryOptions) {
  const Tensor x = zeros({1, 1, 4, 4});
  EXPECT_EQ(error_text<ValueError>([&] { F::interpolate(x, {}); }),
            "interpolate: either size or scale_factor should be defined");
  EXPECT_THROW(F::interpolate(x, {.size = 2, .scale_factor = 2.0}), ValueError);
  EXPECT_THROW(F::interpolate(x, {.size = 2, .align_corners = true}), ValueError);
  EXPECT_THROW(F::interpolate(x, {.size = 2, .antialias = true}), ValueError);
  EXPECT_THROW(F::interpolate(x, {.size = 2, .mode = "linear"}), NotImplementedError);
  EXPECT_THROW(F::interpolate(x, {.size = 2, .mode = "cubic"}), NotImplementedError);
  EXPECT_THROW(F::interpolate(x, {.size = {0, 2}}), ShapeError);
  EXPECT_THROW(F::interpolate(x, {.scale_factor = 1e300}), ValueError);
}

// The scale can select positions far outside of the input.
TEST(Interpolate, StaysWithinTheInput) {
  const Tensor x = arange(4, {.dtype = float32}).reshape({1, 1, 2, 2});
  for (const char* mode : {"nearest", "nearest-exact", "bilinear", "bicubic"}) {
    const Tensor y = F::interpolate(x, {.scale_factor = 0.5000001, .mode = mode});
    EXPECT_EQ(y.shape(), Shape({1, 1, 1, 1})) << mode;
  }
}

TEST(AdaptiveAvgPool, ComputesMeansOfOneAndThreeDimensions) {
  const Tensor x = arange(6, {.dtype = float32}).reshape({1, 6});
  EXPECT_TRUE(F::adaptive_avg_pool1d(x, 3).equal(tensor({0.5f, 2.5f, 4.5f}).reshape({1, 3})));
  const Tensor volume = arange(8, {.dtype = float32}).reshape({1, 1, 2, 2, 2});
  EXPECT_EQ(F::adaptive_avg_pool3d(volume, 1).item().to_double(), 3.5);
  EXPECT_EQ(F::adaptive_avg_pool3d(volume, {1, std::nullopt, 2}).shape(), Shape({1, 1, 1, 2, 2}));
  EXPECT_THROW(F::adaptive_avg_pool3d(x, 1), ShapeError);
}

}  // namespace
