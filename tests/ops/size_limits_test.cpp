// Sizes and counts that exceed 64 bits are errors, not results that wrap around.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::contains, test::error_text;

constexpr std::int64_t kMaxSize = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kQuarter = std::int64_t{1} << 62, kRoot = std::int64_t{1} << 32;

TEST(SizeLimits, ExpandedViews) {
  const Tensor one = ones({1});
  EXPECT_EQ(one.expand({kMaxSize}).numel(), kMaxSize);
  EXPECT_EQ(one.expand({0, kRoot, kRoot}).numel(), 0);
  EXPECT_EQ(error_text<ShapeError>([&] {
              return one.expand({kRoot, kRoot});
            }),
            "expand: the number of elements of [4294967296, 4294967296] exceeds 2^63 - 1");
  EXPECT_THROW(one.expand({3, kQuarter}), ShapeError);
  EXPECT_THROW(one.expand({kQuarter + 1, 4}), ShapeError);
  EXPECT_THROW(one.expand(Shape::filled(10, 128)), ShapeError);
  EXPECT_THROW(broadcast_to(one, {kRoot, kRoot}), ShapeError);
  EXPECT_THROW(one.expand_as(one.expand({kRoot}).unsqueeze(1).expand({kRoot, kRoot})), ShapeError);
  EXPECT_THROW(broadcast_tensors({one.expand({kRoot, 1}), one.expand({kRoot})}), ShapeError);
  EXPECT_THROW(meshgrid({one.expand({kRoot}), one.expand({kRoot})}), ShapeError);
  EXPECT_THROW(cartesian_prod(std::vector<Tensor>(7, arange(1000))), ShapeError);
}

TEST(SizeLimits, OverlappingSlices) {
  const Tensor wide = ones({1}).expand({kQuarter});
  EXPECT_EQ(wide.unfold(0, 2, 2).numel(), kQuarter);
  EXPECT_EQ(error_text<ShapeError>([&] { return wide.unfold(0, 4, 1); }),
            "unfold: the number of elements of [4611686018427387901, 4] exceeds 2^63 - 1");
}

TEST(SizeLimits, Combinations) {
  EXPECT_EQ(error_text<ValueError>([] { return combinations(arange(200), 100); }),
            "combinations: too many combinations: got r=100 for 200 elements");
  EXPECT_THROW(combinations(arange(200), 100, true), ValueError);
  EXPECT_THROW(combinations(arange(67), 34), ValueError);  // 1.4e19
  // 1.2e17 combinations exceed the memory, not the range of the count.
  EXPECT_THROW(combinations(arange(60), 30), Error);
  EXPECT_THROW(combinations(arange(1), kMaxSize, true), Error);
  EXPECT_EQ(combinations(arange(3), kMaxSize).shape(), Shape({0, kMaxSize}));
  EXPECT_EQ(combinations(arange(0), 5, true).shape(), Shape({0, 5}));
  EXPECT_EQ(combinations(arange(3), 2, true).str(),
            "tensor([[0, 0],\n        [0, 1],\n        [0, 2],\n        [1, 1],\n        [1, 2],\n"
            "        [2, 2]])");
  EXPECT_EQ(combinations(arange(5), 4).size(0), 5);
  EXPECT_EQ(combinations(arange(4), 4).str(), "tensor([[0, 1, 2, 3]])");
}

TEST(SizeLimits, Repetitions) {
  const auto repeats = [](std::vector<std::int64_t> counts) {
    return error_text<ShapeError>([&] { return repeat_interleave(tensor(counts)); });
  };
  constexpr const char* kTooLarge = "repeat_interleave: the sum of the repeats is too large";
  EXPECT_EQ(repeats({kQuarter, kQuarter}), kTooLarge);
  EXPECT_EQ(repeats({kQuarter, kQuarter, kQuarter, kQuarter}), kTooLarge);
  EXPECT_EQ(repeats({kQuarter, kQuarter, kQuarter, kQuarter, 1}), kTooLarge);
  EXPECT_EQ(repeats({kMaxSize, kMaxSize, 2}), kTooLarge);
  EXPECT_EQ(repeat_interleave(tensor({0, 2, 0, 1})).str(), "tensor([1, 1, 3])");
  EXPECT_THROW(ones({2}).repeat({kMaxSize}), ShapeError);
  EXPECT_THROW(ones({1}).repeat({kRoot, kRoot}), ShapeError);
}

TEST(SizeLimits, DiagonalsAndBlocks) {
  EXPECT_EQ(error_text<ShapeError>([] { return diag_embed(ones({2}), kMaxSize); }),
            "diag_embed: a size of the result exceeds 2^63 - 1: got offset 9223372036854775807 for "
            "[2]");
  EXPECT_THROW(diag_embed(ones({2}), std::numeric_limits<std::int64_t>::min()), ShapeError);
  EXPECT_THROW(ones({2}).diag(-kMaxSize), ShapeError);
  const Tensor tall = ones({1}).expand({kQuarter, 1});
  EXPECT_EQ(error_text<ShapeError>([&] {
              return block_diag({tall, tall});
            }),
            "block_diag: a size of the result exceeds 2^63 - 1");
  const Tensor wide = ones({1}).expand({kRoot});
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { return kron(wide, wide); }),
                       "kron: a size of the result exceeds 2^63 - 1"));
}

TEST(SizeLimits, PairsOfRows) {
  EXPECT_TRUE(contains(error_text<ShapeError>([] {
                         return pdist(empty({3 * kRoot, 1}, {.device = "meta"}));
                       }),
                       "the number of pairs of 12884901888 rows exceeds 2^63 - 1"));
}

TEST(SizeLimits, Parts) {
  const Tensor x = ones({3});
  EXPECT_THROW(x.split(Shape{kMaxSize, kMaxSize, 5}), ShapeError);
  EXPECT_EQ(x.split(kMaxSize)[0].shape(), Shape({3}));
}

TEST(SizeLimits, Ranges) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_text<ValueError>([] { return arange(0, 1, kInfinity); }),
            "arange: step must be finite but got inf");
  EXPECT_THROW(arange(0, 1, std::numeric_limits<double>::quiet_NaN()), ValueError);
  EXPECT_EQ(error_text<ValueError>([] { return nn::functional::one_hot(tensor({kMaxSize})); }),
            "one_hot: Class values must be smaller than 2^63 - 1: got 9223372036854775807");
}

}  // namespace
}  // namespace taper
