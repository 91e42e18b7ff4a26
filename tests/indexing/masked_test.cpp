// masked_*, nonzero, index_fill, index_copy, take_along_dim: values and rejected arguments.
#include <gtest/gtest.h>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::arange_shaped, test::contains, test::error_text;

TEST(Masked, FillPreservesDType) {
  const Tensor x = arange_shaped({2, 2}, int64), mask = x > 1;
  EXPECT_EQ(masked_fill(x, mask, 1.5).str(), "tensor([[0, 1],\n        [1, 1]])");
  EXPECT_EQ((x > 2).masked_fill(mask, 0.5).str(),
            "tensor([[False, False],\n        [ True,  True]])");
  EXPECT_EQ(x.masked_fill(tensor({true, false}), tensor(9)).str(),
            "tensor([[9, 1],\n        [9, 3]])");
  EXPECT_EQ(arange_shaped({2}).masked_fill(ones({2, 1}) > 0, 3).str(),
            "tensor([[3., 3.],\n        [3., 3.]])");
  const Tensor y = arange_shaped({2, 2});
  EXPECT_TRUE(y.masked_fill_(mask, -1).is_same(y));
  EXPECT_EQ(y.str(), "tensor([[ 0.,  1.],\n        [-1., -1.]])");
}

TEST(Masked, FillRejectsBadMasksAndValues) {
  const Tensor x = arange_shaped({3}), mask = x > 0;
  EXPECT_TRUE(
      contains(error_text<DTypeError>([&] { return x.masked_fill(arange_shaped({3}, int64), 1); }),
               "only supports boolean masks, but got mask with dtype int64"));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { return x.masked_fill(mask, ones({2})); }), ""));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] {
                         return x.masked_fill_(ones({2, 3}) > 0, 1);
                       }),
                       "output with shape [3] doesn't match the broadcast shape [2, 3]"));
}

TEST(Masked, ScatterInvertsSelect) {
  const Tensor x = arange_shaped({2, 3}), mask = tensor({true, false, true});
  EXPECT_EQ(masked_select(x, mask).str(), "tensor([0., 2., 3., 5.])");
  EXPECT_EQ(zeros({2, 3}).masked_scatter(mask, masked_select(x, mask)).str(),
            "tensor([[0., 0., 2.],\n        [3., 0., 5.]])");
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { return x.masked_scatter(mask, ones({3})); }),
                       "Number of elements of source < number of ones in mask"));
  EXPECT_TRUE(
      contains(error_text<DTypeError>([&] { return x.masked_scatter(mask, ones({4}).to(int64)); }),
               "expected self and source to have same dtypes"));
  const Tensor leaf = arange_shaped({5}).requires_grad_();
  x.masked_scatter(mask, leaf).sum().backward();
  EXPECT_EQ(leaf.grad().str(), "tensor([1., 1., 1., 1., 0.])");
}

TEST(Masked, NonzeroReturnsIndices) {
  EXPECT_EQ(nonzero(tensor({{0, 3}, {1, 0}})).str(), "tensor([[0, 1],\n        [1, 0]])");
  EXPECT_EQ(tensor(3.).nonzero().shape(), (Shape{1, 0}));
  EXPECT_EQ(zeros({2, 3}).nonzero().shape(), (Shape{0, 2}));
  EXPECT_TRUE(contains(error_text<NotImplementedError>(
                           [] { return zeros({2}, {.device = Device::meta()}).nonzero(); }),
                       "depends on data"));
}

TEST(Masked, IndexFillAndCopyReplaceRows) {
  const Tensor x = arange_shaped({3, 2});
  EXPECT_EQ(x.index_fill(0, tensor({-1}), 9).str(),
            "tensor([[0., 1.],\n        [2., 3.],\n        [9., 9.]])");
  EXPECT_EQ(x.index_copy(1, tensor({1}), tensor({{7.}, {8.}, {9.}})).str(),
            "tensor([[0., 7.],\n        [2., 8.],\n        [4., 9.]])");
  const auto fill = [&](const Tensor& i) {
    return error_text<IndexError>([&] { return x.index_fill(0, i, 1); });
  };
  EXPECT_TRUE(contains(fill(tensor({5})), "index 5 is out of bounds for dimension 0 with size 3"));
  EXPECT_TRUE(contains(fill(tensor({{0}})), "Index has to be a vector/scalar"));
  EXPECT_TRUE(contains(fill(tensor({0}, {.dtype = int32})), "Expected dtype int64 for index"));
  EXPECT_TRUE(contains(error_text<IndexError>([&] {
                         return x.index_copy(0, tensor({-1}), ones({1, 2}));
                       }),
                       "index -1 is out of bounds for dimension 0 with size 3"));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] {
                         return x.index_copy(0, tensor({0, 1}), ones({1, 2}));
                       }),
                       "Number of indices (2) should be equal to source.size(dim) (1)"));
  EXPECT_TRUE(contains(error_text<ShapeError>([&] {
                         return x.index_copy(0, tensor({0}), ones({1, 3}));
                       }),
                       "same slice shapes"));
}

TEST(Masked, TakeAlongDimBroadcasts) {
  const Tensor x = arange_shaped({3, 4});
  EXPECT_EQ(take_along_dim(x, tensor({{0}, {1}, {2}}), 1).str(),
            "tensor([[ 0.],\n        [ 5.],\n        [10.]])");
  EXPECT_EQ(x.take_along_dim(tensor({{1, 3}}), 1).str(),
            "tensor([[ 1.,  3.],\n        [ 5.,  7.],\n        [ 9., 11.]])");
  EXPECT_EQ(x.take_along_dim(tensor({0, 11})).str(), "tensor([ 0., 11.])");
  EXPECT_TRUE(contains(error_text<ShapeError>([&] { return x.take_along_dim(tensor({0}), 1); }),
                       "input and indices should have the same number of dimensions"));
  EXPECT_TRUE(contains(error_text<DTypeError>([&] { return x.take_along_dim(tensor({{0.}}), 1); }),
                       "dtype of indices should be Long"));
}

TEST(Masked, TakeAlongDimCountsNegativeIndicesFromTheEnd) {
  const Tensor x = arange_shaped({3, 4});
  EXPECT_EQ(take_along_dim(x, tensor({{-1}, {1}, {-4}}), 1).str(),
            "tensor([[3.],\n        [5.],\n        [8.]])");
  EXPECT_EQ(x.take_along_dim(tensor({-1, 0, -12})).str(), "tensor([11.,  0.,  0.])");
  EXPECT_EQ(tensor(5.).take_along_dim(tensor(-1), 0).item<float>(), 5);
  for (const std::int64_t index : {-5, 4})
    EXPECT_TRUE(contains(error_text<IndexError>([&] {
                           return x.take_along_dim(full({1, 1}, index, {.dtype = int64}), 1);
                         }),
                         "index " + std::to_string(index) + " is out of bounds for dimension 1"));
}

TEST(Masked, NodesHaveNamesOfPyTorch) {
  const Tensor x = ones({3, 4}, {.requires_grad = true}), mask = x > 0, i = tensor({0});
  const auto name = [](const Tensor& t) { return t.grad_fn().name(); };
  EXPECT_EQ(name(x.masked_fill(mask, 0)), "MaskedFillBackward0");
  EXPECT_EQ(name(x.masked_fill(mask, tensor(0.))), "MaskedFillBackward1");
  EXPECT_EQ(name(x.masked_select(mask)), "MaskedSelectBackward0");
  EXPECT_EQ(name(x.masked_scatter(mask, x)), "MaskedScatterBackward0");
  EXPECT_EQ(name(x.index_fill(0, i, 1)), "IndexFillBackward0");
  EXPECT_EQ(name(x.index_fill(0, i, tensor(1.))), "IndexFillBackward1");
  EXPECT_EQ(name(x.index_copy(0, i, ones({1, 4}))), "IndexCopyBackward0");
  EXPECT_EQ(name(x.take_along_dim(tensor({{0}}), 1)), "GatherBackward0");
}

}  // namespace
}  // namespace taper
