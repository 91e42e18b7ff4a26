// Selections by index tensors and masks of sizes at which the kernels use blocks and threads,
// compared with single elements.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "taper/core/error.h"
#include "taper/taper.h"

namespace taper {
namespace {

TEST(Selection, ReadsAndAddsElementsAtPairsOfIndices) {
  manual_seed(1);
  const Tensor x = randn({37, 5, 41}), i = randint(-37, 37, {300, 70}), j = randint(-41, 41, {70});
  // The dimension between the indices follows them.
  const Tensor y = x.index({i, Slice(), j});
  ASSERT_EQ(y.shape(), Shape({300, 70, 5}));
  Tensor sums = zeros({37, 5, 41});
  for (const std::int64_t a : {0, 123, 299})
    for (const std::int64_t b : {0, 69}) {
      const Tensor expected =
          x[i.index({a, b}).item<std::int64_t>()].index({Slice(), j[b].item<std::int64_t>()});
      EXPECT_TRUE(equal(y.index({a, b}), expected));
    }
  sums.index_put_({i, Slice(), j}, ones({300, 70, 5}), true);
  EXPECT_EQ(sums.sum().item<double>(), 300 * 70 * 5);
  EXPECT_THROW(x.index({i, Slice(), j + 41}), IndexError);
  EXPECT_THROW(x.index({i - 40, Slice(), j}), IndexError);
}

TEST(Selection, LastWriteToAnElementTakesPrecedence) {
  Tensor x = zeros({10});
  x.index_put_({arange(50000) % 10}, arange(50000.));
  EXPECT_TRUE(equal(x, arange(49990., 50000.)));
  Tensor rows = zeros({4, 6});
  rows.index_fill_(1, tensor({-1, 2}), 3);
  EXPECT_TRUE(equal(rows.sum(0), tensor({0., 0., 12., 0., 0., 12.})));
  EXPECT_THROW(rows.index_fill_(0, tensor({0, 4}), 1), IndexError);
  EXPECT_EQ(rows.sum().item<double>(), 24);
}

TEST(Selection, ScattersByMask) {
  manual_seed(2);
  const Tensor x = randn({50, 40}), mask = rand({50, 40}) < 0.3, source = randn({2000});
  const Tensor y = x.masked_scatter(mask, source), selected = y.masked_select(mask);
  EXPECT_TRUE(equal(selected, source.slice(0, 0, selected.numel())));
  EXPECT_TRUE(equal(y.masked_fill(mask, 0), x.masked_fill(mask, 0)));
  EXPECT_TRUE(equal(x.index({mask.nonzero().select(1, 0), mask.nonzero().select(1, 1)}),
                    x.masked_select(mask)));
  EXPECT_THROW(x.masked_scatter(mask, source.slice(0, 0, 3)), ShapeError);
  EXPECT_TRUE(equal(x.masked_scatter(zeros({50, 40}, {.dtype = DType::bool_}), zeros({0})), x));
}

TEST(Selection, ReducesSlices) {
  manual_seed(3);
  const Tensor x = randn({6, 33}), i = tensor({5, 0, 5}), y = randn({3, 33});
  const Tensor got = x.index_reduce(0, i, y, "amax");
  EXPECT_TRUE(equal(got[5], x[5].maximum(y[0]).maximum(y[2])));
  EXPECT_TRUE(equal(got[0], x[0].maximum(y[1])));
  EXPECT_TRUE(equal(got.slice(0, 1, 5), x.slice(0, 1, 5)));
  EXPECT_TRUE(equal(x.t().contiguous().index_reduce(1, i, y.t().contiguous(), "amax"), got.t()));
  EXPECT_TRUE(allclose(x.index_reduce(0, i, y, "prod")[5], x[5] * y[0] * y[2]));
  EXPECT_THROW(x.index_reduce(0, tensor({0, 6, 0}), y, "amin"), IndexError);
}

TEST(Selection, ComparesDenseTensorsByBlocks) {
  const Tensor x = arange(100000.);
  Tensor y = x.clone();
  EXPECT_TRUE(equal(x, y) && allclose(x, y, 0, 0));
  y.index({77777}).add_(1);
  EXPECT_FALSE(equal(x, y) || allclose(x, y, 0, 0.5));
  EXPECT_TRUE(allclose(x, y, 0, 1));
  y.index({0}).fill_(NAN);
  EXPECT_FALSE(equal(y, y) || allclose(y, y));
  EXPECT_TRUE(allclose(y, y, 0, 0, true));
  EXPECT_FALSE(allclose(tensor({1., 2.}), tensor({1., INFINITY})));
  EXPECT_TRUE(allclose(tensor({INFINITY, -INFINITY}), tensor({INFINITY, -INFINITY})));
  EXPECT_FALSE(allclose(tensor({INFINITY}), tensor({-INFINITY}), 1e9));
  EXPECT_TRUE(equal(tensor({0.}), tensor({-0.})));
}

TEST(Selection, FindsConsecutiveRuns) {
  const Tensor x = arange(200000).div(3, "floor");
  const UniqueResult u = unique_consecutive(x, true, true);
  EXPECT_TRUE(equal(u.output, arange(66667)));
  EXPECT_TRUE(equal(u.inverse_indices, x));
  EXPECT_EQ(u.counts.sum().item<std::int64_t>(), 200000);
  EXPECT_EQ(u.counts[66666].item<std::int64_t>(), 2);
  const UniqueResult nan = unique_consecutive(tensor({1., NAN, NAN, 2., 2.}), true, true);
  EXPECT_TRUE(equal(nan.counts, tensor({1, 1, 1, 2})));
  EXPECT_TRUE(equal(nan.inverse_indices, tensor({0, 1, 2, 3, 3})));
}

TEST(Selection, SearchesSequencesOfEveryLength) {
  for (std::int64_t n = 0; n < 40; ++n) {
    const Tensor sequence = arange(static_cast<double>(n)),
                 x = arange(-0.5, static_cast<double>(n + 1), 0.5);
    const Tensor left = searchsorted(sequence, x), right = searchsorted(sequence, x, false, true);
    EXPECT_TRUE(equal(left, x.ceil().clamp(0, n).to(DType::i64)));
    EXPECT_TRUE(equal(right, (x.floor() + 1).clamp(0, n).to(DType::i64)));
  }
  const Tensor nan = tensor({0., 1., NAN});
  EXPECT_TRUE(equal(searchsorted(nan, tensor({0.5, NAN})), tensor({1, 3})));
  EXPECT_TRUE(
      equal(searchsorted(tensor({5, 1, 3}), tensor({2, 4}), false, false, {}, tensor({1, 2, 0})),
            tensor({1, 2})));
}

TEST(Selection, DifferentiatesStridedViews) {
  const Tensor x = randn({12}).set_requires_grad();
  x.as_strided({3, 4}, {4, 1}).mul(2).sum().backward();
  EXPECT_TRUE(equal(x.grad(), full({12}, 2.)));
  const Tensor overlapping = randn({5}).set_requires_grad();
  overlapping.as_strided({2, 4}, {1, 1}, 0).sum().backward();
  EXPECT_TRUE(equal(overlapping.grad(), tensor({1., 2., 2., 2., 1.})));
}

TEST(Selection, StridedViewsWithoutElementsHaveAnyOffset) {
  const std::int64_t offset = std::int64_t{1} << 62;
  const Tensor view = arange(3).as_strided({0, 2}, {1, 1}, offset);
  EXPECT_EQ(view.storage_offset(), offset);
  EXPECT_EQ(view.clone().shape(), (Shape{0, 2}));
  EXPECT_EQ(view.to(float32).sum().item<float>(), 0);
  EXPECT_EQ(view.tolist(), Value::list({}));
  EXPECT_EQ(view.data<std::int64_t>().size(), 0u);
}

}  // namespace
}  // namespace taper
