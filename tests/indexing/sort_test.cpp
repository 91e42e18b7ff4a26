// Sorting, unique elements, searching and counting, with the values of PyTorch.
#include <gtest/gtest.h>

#include <limits>

#include "support/contains.h"
#include "support/error_text.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::contains, test::error_text;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Sort, OrdersNaNLastAndRetainsTheOrderOfTies) {
  const auto [values, indices] = tensor({2.0, kNaN, 1.0, 2.0}).sort();
  EXPECT_EQ(values.str(), "tensor([1., 2., 2., nan])");
  EXPECT_EQ(indices.str(), "tensor([2, 0, 3, 1])");
  EXPECT_EQ(argsort(tensor({2.0, kNaN, 1.0, 2.0}), -1, true).str(), "tensor([1, 0, 3, 2])");
  EXPECT_EQ(msort(tensor({{2, 1}, {1, 3}})).str(), "tensor([[1, 1],\n        [2, 3]])");
}

TEST(Sort, SortsLongSlicesOfEveryDType) {
  for (const DType dtype : {float64, float32, float16, int64, int32, int16, int8, uint8}) {
    const Tensor x = ((arange(1000, {.dtype = float64}) * 37).sin() * 50 + 60).to(dtype);
    const auto [values, indices] = x.sort();
    EXPECT_FALSE((values.slice(0, 1, {}) < values.slice(0, 0, 999)).any().item<bool>());
    EXPECT_TRUE(equal(x.index_select(0, indices), values));
  }
}

TEST(TopK, SelectsAndRejectsK) {
  EXPECT_EQ(topk(tensor({3, 1, 4, 1, 5}), 2).first.str(), "tensor([5, 4])");
  EXPECT_EQ(topk(tensor({3, 1, 4, 1, 5}), 3, 0, false).first.str(), "tensor([1, 1, 3])");
  EXPECT_TRUE(contains(error_text([] {
                         static_cast<void>(topk(ones({2, 3}), 4));
                       }),
                       "topk: selected index k out of range"));
  EXPECT_TRUE(contains(error_text([] {
                         static_cast<void>(kthvalue(ones({2, 3}), 0));
                       }),
                       "kthvalue: selected number k out of range for dimension 1"));
}

TEST(Mode, ReturnsSmallestOfTheMostFrequent) {
  const auto [value, index] = tensor({1, 2, 2, 1}).mode();
  EXPECT_EQ(value.item<int>(), 1);
  EXPECT_EQ(index.item<int>(), 3);
  EXPECT_THROW(static_cast<void>(mode(ones({2, 0}))), IndexError);
}

TEST(Unique, ReturnsSortedElementsInverseAndCounts) {
  const auto [output, inverse, counts] = unique(tensor({{3, 1}, {3, 2}}), true, true, true);
  EXPECT_EQ(output.str(), "tensor([1, 2, 3])");
  EXPECT_EQ(inverse.str(), "tensor([[2, 0],\n        [2, 1]])");
  EXPECT_EQ(counts.str(), "tensor([1, 1, 2])");
  EXPECT_FALSE(unique(tensor({1, 1})).counts.defined());
}

TEST(Unique, ReturnsSortedSlices) {
  const Tensor x = tensor({{1, 2}, {0, 5}, {1, 2}});
  const auto [rows, inverse, counts] = x.unique(true, true, true, 0);
  EXPECT_EQ(rows.str(), "tensor([[0, 5],\n        [1, 2]])");
  EXPECT_EQ(inverse.str(), "tensor([1, 0, 1])");
  EXPECT_EQ(counts.str(), "tensor([1, 2])");
}

TEST(Unique, ConsecutiveRetainsTheOrder) {
  const auto [output, inverse, counts] = unique_consecutive(tensor({1, 1, 2, 2, 1}), true, true);
  EXPECT_EQ(output.str(), "tensor([1, 2, 1])");
  EXPECT_EQ(inverse.str(), "tensor([0, 0, 1, 1, 2])");
  EXPECT_EQ(counts.str(), "tensor([2, 2, 1])");
}

TEST(Unique, EmptyInput) {
  const auto [output, inverse, counts] = unique(zeros({0, 2}), true, true, true);
  EXPECT_EQ(output.numel() + inverse.numel() + counts.numel(), 0);
  EXPECT_EQ(unique(zeros({0, 2}), true, false, false, 0).output.shape(), Shape({0, 2}));
  EXPECT_TRUE(contains(error_text([] {
                         static_cast<void>(unique(zeros({2, 0}), true, false, false, 0));
                       }),
                       "0 sized dimensions"));
  EXPECT_THROW(static_cast<void>(unique(zeros({2}, {.device = Device::meta()}))),
               NotImplementedError);
}

TEST(Search, ReturnsInsertionPoints) {
  const Tensor x = tensor({1.0, 2.0, 2.0, 4.0});
  EXPECT_EQ(searchsorted(x, tensor({0.0, 2.0, 5.0})).str(), "tensor([0, 1, 4])");
  EXPECT_EQ(searchsorted(x, 2, true, false, "right").str(), "tensor(3, dtype=torch.int32)");
  EXPECT_EQ(searchsorted(x, kNaN).item<int>(), 4);
  EXPECT_EQ(bucketize(tensor({1, 3}), tensor({1, 2, 3}), false, true).str(), "tensor([1, 3])");
  EXPECT_EQ(searchsorted(tensor({3, 1, 2}), 3, false, false, {}, tensor({1, 2, 0})).item<int>(), 2);
}

TEST(Search, RejectsInvalidArguments) {
  const Tensor x = tensor({1.0, 2.0});
  EXPECT_THROW(searchsorted(x, 1, false, true, "left"), ValueError);
  EXPECT_THROW(searchsorted(x, 1, false, false, "middle"), ValueError);
  EXPECT_THROW(searchsorted(ones({2, 3}), ones({3, 3})), ShapeError);
  EXPECT_THROW(searchsorted(x, 1, false, false, {}, tensor({0, 2})), IndexError);
  EXPECT_THROW(bucketize(x, ones({2, 2})), ShapeError);
}

TEST(IsIn, ComparesElements) {
  const Tensor x = tensor({{1.0, 2.0}, {kNaN, 4.0}});
  EXPECT_EQ(isin(x, tensor({4.0, 1.0, kNaN})).str(),
            "tensor([[ True, False],\n        [False,  True]])");
  EXPECT_EQ(isin(x, 2, false, true).str(), "tensor([[ True, False],\n        [ True,  True]])");
  EXPECT_TRUE(isin(4, x).item<bool>());
  EXPECT_FALSE(isin(x, zeros({0})).any().item<bool>());
}

TEST(BinCount, CountsAndSumsWeights) {
  EXPECT_EQ(bincount(tensor({1, 2, 1}), {}, 5).str(), "tensor([0, 2, 1, 0, 0])");
  EXPECT_EQ(bincount(tensor({1, 2}), tensor({1, 3})).str(),
            "tensor([0., 1., 3.], dtype=torch.float64)");
  EXPECT_THROW(bincount(tensor({-1, 2})), ValueError);
  EXPECT_THROW(bincount(tensor({{1, 2}})), ShapeError);
  EXPECT_THROW(bincount(tensor({1.0})), NotImplementedError);
}

TEST(Histogram, CountsInBins) {
  EXPECT_EQ(histc(tensor({1.0, 2.0, kNaN}), 4, 0, 3).str(), "tensor([0., 1., 1., 0.])");
  EXPECT_EQ(histc(tensor({2.0, 2.0}), 4).str(), "tensor([0., 0., 2., 0.])");
  EXPECT_EQ(histc(tensor({-3e38, 3e38}), 4, -3e38, 3e38).str(), "tensor([1., 0., 0., 1.])")
      << "the width overflows";
  EXPECT_THROW(histc(tensor({1.0, kNaN}), 4), ValueError);
  const auto [counts, edges] = histogram(tensor({1.0, 2.0, 1.0}), 4, {{0.0, 3.0}});
  EXPECT_EQ(counts.str(), "tensor([0., 2., 1., 0.])");
  EXPECT_EQ(edges.str(), "tensor([0.0000, 0.7500, 1.5000, 2.2500, 3.0000])");
}

}  // namespace
}  // namespace taper
