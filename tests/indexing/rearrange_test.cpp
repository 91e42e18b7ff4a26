// Rearranging, joining and splitting, with the values of PyTorch.
#include <gtest/gtest.h>

#include <limits>

#include "support/contains.h"
#include "support/error_text.h"
#include "support/tensors.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"

namespace taper {
namespace {

using test::arange_shaped, test::contains, test::error_text;

TEST(Rearrange, MovesDimensions) {
  const Tensor x = zeros({2, 3, 4});
  EXPECT_EQ(movedim(x, 0, -1).shape(), Shape({3, 4, 2}));
  EXPECT_EQ(x.movedim({0, 1}, {2, 0}).shape(), Shape({3, 4, 2}));
  EXPECT_EQ(x.T().shape(), Shape({4, 3, 2}));
  EXPECT_TRUE(contains(error_text([&] {
                         static_cast<void>(movedim(x, {0, 0}, {1, 2}));
                       }),
                       "movedim: repeated dim in `source` ([0, 0])"));
}

// As in PyTorch, an empty dimension has the number of chunks that is asked for.
TEST(Chunk, DividesEmptyDimensionsIntoAllChunks) {
  for (const Shape& shape : {Shape{0}, Shape{0, 4}, Shape{3, 0}}) {
    const Tensor x = zeros(shape);
    const std::int64_t dim = shape[0] == 0 ? 0 : 1;
    for (const std::int64_t chunks : {1, 2, 3, 7})
      for (const auto& parts : {x.chunk(chunks, dim), unsafe_chunk(x, chunks, dim - x.dim())}) {
        EXPECT_EQ(std::ssize(parts), chunks);
        for (const Tensor& part : parts) EXPECT_EQ(part.shape(), shape);
      }
  }
  EXPECT_EQ(std::ssize(zeros({0, 3}).chunk(2, 1)), 2);
  EXPECT_EQ(std::ssize(zeros({3}).chunk(7)), 3);
  EXPECT_EQ(std::ssize(zeros({3}).chunk(std::numeric_limits<std::int64_t>::max())), 3);
  EXPECT_THROW(static_cast<void>(zeros({0}).chunk(0)), ValueError);
}

TEST(Rearrange, RejectsDimensionsAsPyTorch) {
  const Tensor number = full({}, 1.0), x = ones({2, 1, 1});
  EXPECT_EQ(number.flatten().shape(), Shape({1}));
  EXPECT_THROW(number.flatten(0, -2), IndexError);
  EXPECT_THROW(number.flatten(1), IndexError);
  EXPECT_EQ(error_text<ShapeError>([&] { return x.unflatten(1, {}); }),
            "unflatten: sizes must be non-empty");
  EXPECT_EQ(error_text<ValueError>([&] {
              return x.squeeze({1, -2});
            }),
            "squeeze: dim 1 appears multiple times in the list of dims");
  EXPECT_EQ(x.squeeze({1, 2}).shape(), Shape({2}));
}

TEST(Rearrange, FlipsRollsAndRotates) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(flip(x, {0, 1}).str(), "tensor([[6, 5, 4],\n        [3, 2, 1]])");
  EXPECT_EQ(roll(x, 1).str(), "tensor([[6, 1, 2],\n        [3, 4, 5]])");
  EXPECT_EQ(roll(x, {1, -1}, {0, 1}).str(), "tensor([[5, 6, 4],\n        [2, 3, 1]])");
  EXPECT_EQ(rot90(x).str(), "tensor([[3, 6],\n        [2, 5],\n        [1, 4]])");
  EXPECT_TRUE(equal(rot90(x, -3), rot90(x)));
  EXPECT_THROW(flip(x, {0, 0}), ValueError);
  EXPECT_THROW(roll(x, {2, 1}, 0), ValueError);
}

TEST(Rearrange, Repeats) {
  EXPECT_EQ(tensor({1, 2}).repeat({2, 2}).str(), "tensor([[1, 2, 1, 2],\n        [1, 2, 1, 2]])");
  EXPECT_EQ(tile(tensor({{1, 2}}), 2).str(), "tensor([[1, 2, 1, 2]])");
  EXPECT_EQ(repeat_interleave(tensor({5, 6}), 2).str(), "tensor([5, 5, 6, 6])");
  EXPECT_EQ(repeat_interleave(tensor({5, 6, 7}), tensor({2, 0, 1})).str(), "tensor([5, 5, 7])");
  EXPECT_EQ(repeat_interleave(tensor({2, 0, 1})).str(), "tensor([0, 0, 2])");
  EXPECT_THROW(repeat_interleave(tensor({5, 6}), tensor({-1, 2})), ValueError);
  for (const DType dtype : {int64, int32, int16, int8, uint8}) {
    const Tensor repeats = tensor({2, 0, 1}).to(dtype);
    EXPECT_TRUE(repeat_interleave(repeats).equal(tensor({0, 0, 2}).to(dtype)));
    EXPECT_TRUE(repeat_interleave(tensor({5, 6, 7}), repeats).equal(tensor({5, 5, 7})));
  }
  EXPECT_TRUE(repeat_interleave(arange(300), ones({300}).to(uint8)).equal(arange(300)));
  EXPECT_THROW(repeat_interleave(tensor({true})), DTypeError);
  EXPECT_THROW(repeat_interleave(tensor({1.0})), DTypeError);
  EXPECT_THROW(tensor({{1}}).repeat(2), ShapeError);
}

TEST(Rearrange, BuildsDiagonals) {
  EXPECT_EQ(diag(tensor({1, 2}), 1).str(),
            "tensor([[0, 1, 0],\n        [0, 0, 2],\n        [0, 0, 0]])");
  EXPECT_EQ(diag(tensor({{1, 2}, {3, 4}})).str(), "tensor([1, 4])");
  EXPECT_EQ(tril_indices(2, 3).str(), "tensor([[0, 1, 1],\n        [0, 0, 1]])");
  EXPECT_EQ(triu_indices(2, 3, 1).str(), "tensor([[0, 0, 1],\n        [1, 2, 2]])");
  const Tensor tall = zeros({5, 2});
  tall.fill_diagonal_(1, true);
  EXPECT_EQ(tall.sum(1).str(), "tensor([1., 1., 0., 1., 1.])");
  EXPECT_EQ(slice_scatter(zeros({4}), ones({2}), 0, 1, 3).str(), "tensor([0., 1., 1., 0.])");
  EXPECT_THROW(select_scatter(zeros({2, 2}), ones({3}), 0, 0), ShapeError);
}

TEST(Rearrange, IndexesTheTriangleOfAnyDiagonal) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max(), kMin = -kMax - 1;
  for (std::int64_t rows = 0; rows < 4; ++rows)
    for (std::int64_t cols = 0; cols < 4; ++cols)
      for (const std::int64_t offset : {kMin, -4L, -3L, -2L, -1L, 0L, 1L, 2L, 3L, 4L, kMax}) {
        const Tensor matrix = ones({rows, cols});
        const Tensor lower = tril_indices(rows, cols, offset),
                     upper = triu_indices(rows, cols, offset);
        EXPECT_TRUE(equal(lower, matrix.tril(offset).nonzero().t())) << rows << cols << offset;
        EXPECT_TRUE(equal(upper, matrix.triu(offset).nonzero().t())) << rows << cols << offset;
      }
  EXPECT_EQ(tril_indices(kMax, 0).shape(), (Shape{2, 0}));
  EXPECT_EQ(triu_indices(kMax, 2, -1).size(1), 5);
  EXPECT_THROW(tril_indices(kMax, kMax), ValueError);
  EXPECT_THROW(triu_indices(kMax, kMax, kMin), ValueError);
}

TEST(Rearrange, RollsByAnyShift) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const Tensor x = tensor({1, 2, 3});
  EXPECT_EQ(roll(x, {1}, {0}).str(), "tensor([3, 1, 2])");
  EXPECT_EQ(roll(x, {-4}, {0}).str(), "tensor([2, 3, 1])");
  EXPECT_EQ(roll(x, {kMin}, {0}).str(), "tensor([3, 1, 2])");  // -2^63 = 1 (mod 3)
  EXPECT_THROW(roll(tensor(1), {0}, {0}), IndexError);
}

TEST(Rearrange, BuildsVandermondeMatrices) {
  EXPECT_EQ(vander(tensor({2, 3}), 3).str(), "tensor([[4, 2, 1],\n        [9, 3, 1]])");
  EXPECT_EQ(vander(tensor({2, 3}), 3, true).str(), "tensor([[1, 2, 4],\n        [1, 3, 9]])");
  EXPECT_EQ(vander(zeros({0}), std::int64_t{1} << 62).shape(), (Shape{0, std::int64_t{1} << 62}));
  const Tensor x = tensor({0.f, 2.f}).set_requires_grad();
  vander(x, 4).sum().backward();
  EXPECT_TRUE(equal(x.grad(), tensor({1.f, 17.f})));
}

TEST(Rearrange, JoinsTensors) {
  const Tensor a = tensor({1, 2}), b = tensor({3, 4});
  EXPECT_EQ(hstack({a, b}).str(), "tensor([1, 2, 3, 4])");
  EXPECT_EQ(vstack({a, b}).str(), "tensor([[1, 2],\n        [3, 4]])");
  EXPECT_EQ(column_stack({a, b}).str(), "tensor([[1, 3],\n        [2, 4]])");
  EXPECT_EQ(dstack({a, b}).shape(), Shape({1, 2, 2}));
  EXPECT_EQ(block_diag({a, tensor(7)}).str(), "tensor([[1, 2, 0],\n        [0, 0, 7]])");
  EXPECT_EQ(meshgrid({a, tensor({5, 6, 7})}, "xy")[0].shape(), Shape({3, 2}));
  EXPECT_EQ(cartesian_prod({a, b}).str(),
            "tensor([[1, 3],\n        [1, 4],\n        [2, 3],\n        [2, 4]])");
  EXPECT_EQ(combinations(tensor({1, 2, 3})).str(),
            "tensor([[1, 2],\n        [1, 3],\n        [2, 3]])");
  EXPECT_EQ(combinations(a, 2, true).size(0), 3);
  EXPECT_EQ(combinations(a, 3).shape(), Shape({0, 3}));
  EXPECT_THROW(static_cast<void>(meshgrid({a}, "yx")), ValueError);
}

TEST(Rearrange, SplitsTensors) {
  const auto parts = tensor_split(arange(7), 3);
  EXPECT_EQ(parts[0].str() + parts[2].str(), "tensor([0, 1, 2])tensor([5, 6])");
  EXPECT_EQ(tensor_split(arange(7), Shape{2, 5}, 0)[1].str(), "tensor([2, 3, 4])");
  EXPECT_EQ(hsplit(zeros({2, 4}), 2)[1].shape(), Shape({2, 2}));
  EXPECT_THROW(static_cast<void>(hsplit(zeros({2, 5}), 2)), ValueError);
  EXPECT_THROW(static_cast<void>(dsplit(zeros({2, 5}), 1)), ShapeError);
}

TEST(Rearrange, ChangesShapesInPlace) {
  const Tensor leaf = arange_shaped({2, 3}).requires_grad_();
  const Tensor x = leaf * 2;
  EXPECT_TRUE(x.transpose_(0, 1).is_same(x));
  x.unsqueeze_(0).squeeze_();
  EXPECT_EQ(x.shape(), Shape({3, 2}));
  (x * arange_shaped({3, 2})).sum().backward();
  EXPECT_TRUE(equal(leaf.grad(), 2 * arange_shaped({3, 2}).t()));
  EXPECT_THROW(leaf.t_(), RuntimeError);
  EXPECT_THROW(leaf.view({3, 2}).t_(), RuntimeError);
  EXPECT_EQ(ones({3}).expand({2, 3}).t_().shape(), Shape({3, 2}));
}

TEST(Rearrange, UnfoldAddsGradientsOfOverlaps) {
  const Tensor x = arange_shaped({5}).requires_grad_();
  EXPECT_EQ(x.unfold(0, 3, 1).shape(), Shape({3, 3}));
  x.unfold(0, 3, 1).sum().backward();
  EXPECT_EQ(x.grad().str(), "tensor([1., 2., 3., 2., 1.])");
}

}  // namespace
}  // namespace taper
