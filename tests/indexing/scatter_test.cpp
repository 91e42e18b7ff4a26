// Reductions into selected elements and selection by flat index, with the values of PyTorch.
#include <gtest/gtest.h>

#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

const Tensor kPlaces = tensor({0, 0, 1});

TEST(ScatterReduce, ReducesWithAndWithoutPreviousValues) {
  const Tensor x = tensor({1.0, 2.0, 3.0}), src = tensor({2.0, 2.0, 5.0});
  EXPECT_EQ(scatter_reduce(x, 0, kPlaces, src, "sum").str(), "tensor([5., 7., 3.])");
  EXPECT_EQ(scatter_reduce(x, 0, kPlaces, src, "prod", false).str(), "tensor([4., 5., 3.])");
  EXPECT_EQ(scatter_reduce(x, 0, kPlaces, src, "mean", false).str(), "tensor([2., 5., 3.])");
  EXPECT_EQ(x.index_reduce(0, kPlaces, src, "amax").str(), "tensor([2., 5., 3.])");
  EXPECT_EQ(x.scatter(0, kPlaces, 2, "multiply").str(), "tensor([4., 4., 3.])");
  EXPECT_EQ(scatter_reduce(zeros({2}, {.dtype = int64}), 0, tensor({0, 0}), tensor({-2, -3}),
                           "mean", false)
                .str(),
            "tensor([-3,  0])");
}

TEST(ScatterReduce, RejectsInvalidArguments) {
  const Tensor x = ones({3});
  EXPECT_THROW(scatter_reduce(x, 0, kPlaces, x, "max"), ValueError);
  EXPECT_THROW(index_reduce(x, 0, kPlaces, x, "sum"), ValueError);
  EXPECT_THROW(index_reduce(x, 0, kPlaces, ones({2}), "prod"), ShapeError);
  EXPECT_THROW(x.scatter_reduce_(0, tensor({0, 3, 1}), x, "sum"), IndexError);
  EXPECT_EQ(x.str(), "tensor([1., 1., 1.])");
}

TEST(Take, SelectsByFlatIndex) {
  const Tensor x = tensor({{1, 2}, {3, 4}});
  EXPECT_EQ(take(x, tensor({{0, -1}})).str(), "tensor([[1, 4]])");
  EXPECT_EQ(put(x, tensor({-1, 0}), tensor({7, 8})).str(), "tensor([[8, 2],\n        [3, 7]])");
  EXPECT_THROW(take(x, tensor({4})), IndexError);
  EXPECT_THROW(put(x, tensor({0, 1}), tensor({7})), ShapeError);
}

TEST(Nonzero, ReturnsAVectorPerDimension) {
  const auto both = where(tensor({{0, 1}, {2, 0}}));
  EXPECT_EQ(both[0].str() + both[1].str(), "tensor([0, 1])tensor([1, 0])");
  EXPECT_EQ(unravel_index(tensor({5, 2}), {2, 4})[1].str(), "tensor([1, 2])");
  EXPECT_THROW(static_cast<void>(unravel_index(tensor({8}), {2, 4})), ValueError);
}

TEST(NewFactories, UseDTypeOfTheTensor) {
  const Tensor x = zeros({1}, {.dtype = float64});
  EXPECT_EQ(x.new_ones({2}).dtype(), float64);
  EXPECT_EQ(x.new_full({2}, 3, {.dtype = int32}).str(), "tensor([3, 3], dtype=torch.int32)");
  EXPECT_EQ(x.new_tensor({1, 2}).dtype(), float64);
}

}  // namespace
}  // namespace taper
