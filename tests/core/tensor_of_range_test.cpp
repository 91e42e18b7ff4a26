// tensor(values) of ranges: vectors, arrays, spans and nested ones.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <vector>

#include "support/error_text.h"
#include "taper/core/factory.h"

namespace {

using namespace taper;
using test::error_text;

TEST(TensorOfRange, CopiesNumbersOfEachType) {
  EXPECT_TRUE(equal(tensor(std::vector<long long>{1, -2}), tensor({1, -2})));
  EXPECT_EQ(tensor(std::vector<unsigned long long>{1}).dtype(), uint64);
  EXPECT_TRUE(equal(tensor(std::vector<bool>{true, false}), tensor({true, false})));
  EXPECT_EQ(tensor(std::vector<int>{1}).dtype(), int32);
  EXPECT_EQ(tensor(std::vector<BFloat16>(3)).dtype(), bfloat16);
  EXPECT_EQ(tensor(std::vector<float>{1}, {.dtype = float64}).dtype(), float64);
  EXPECT_EQ(tensor(std::vector<float>{}).shape(), (Shape{0}));
}

TEST(TensorOfRange, AcceptsArraysSpansAndOtherRanges) {
  const std::array<float, 3> array{1, 2, 3};
  const Tensor expected = tensor({1.0, 2.0, 3.0});
  EXPECT_TRUE(equal(tensor(array), expected));
  EXPECT_TRUE(equal(tensor(std::span<const float>(array)), expected));
  EXPECT_TRUE(equal(as_tensor(array), expected));
  const float plain[] = {1, 2, 3};
  EXPECT_TRUE(equal(tensor(plain), expected));
  EXPECT_TRUE(equal(tensor(std::deque<float>{1, 2, 3}), expected));
  EXPECT_TRUE(equal(tensor(Shape{2, 3}), tensor({2, 3})));
}

TEST(TensorOfRange, NestedRangesHaveOneDimensionEach) {
  EXPECT_TRUE(equal(tensor(std::vector<std::vector<float>>{{1, 2}, {3, 4}}),
                    tensor({{1.0, 2.0}, {3.0, 4.0}})));
  EXPECT_TRUE(
      equal(tensor(std::vector<std::vector<bool>>{{true}, {false}}), tensor({{true}, {false}})));
  EXPECT_TRUE(equal(tensor(std::vector<std::array<long long, 2>>{{1, 2}}), tensor({{1, 2}})));
  EXPECT_EQ(tensor(std::vector<std::vector<int>>{{}, {}}).shape(), (Shape{2, 0}));
  EXPECT_EQ(tensor(std::vector<std::vector<std::vector<int>>>{}).shape(), (Shape{0}));
  EXPECT_EQ(error_text<ValueError>([] {
              static_cast<void>(tensor(std::vector<std::vector<int>>{{1, 2}, {3}}));
            }),
            "tensor: expected sequence of length 2 at dim 1 (got 1)");
}

}  // namespace
