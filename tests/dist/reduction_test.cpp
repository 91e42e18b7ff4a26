// Order of summation of the reductions.
#include "dist/reduction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dist/support.h"
#include "dist/tensor_buffers.h"

namespace taper::distributed {
namespace {

using test::on_ranks;

/// Values of each rank whose sum depends on the order.
std::vector<std::vector<float>> wild_values(int ranks, std::int64_t count) {
  manual_seed(3);
  std::vector<std::vector<float>> all;
  for (int r = 0; r < ranks; ++r) {
    const Tensor x = randn({count}) * randint(-9, 9, {count}).to(DType::f32).exp2();
    all.emplace_back(x.data<float>().begin(), x.data<float>().end());
  }
  return all;
}

TEST(ReductionOrder, IsThatOfTheRing) {
  constexpr std::int64_t kCount = 37;  // 4 ranks: 8 segments of 5 elements, chunks of 10
  const auto values = wild_values(4, kCount);
  on_ranks(4, [&](int rank) {
    const Tensor x = tensor(values[static_cast<std::size_t>(rank)]);
    all_reduce(x);
    for (std::int64_t i = 0; i < kCount; ++i) {
      const auto c = static_cast<std::size_t>(i / 10);
      const auto at = [&](std::size_t r) { return values[r % 4][static_cast<std::size_t>(i)]; };
      EXPECT_EQ(x.data<float>()[static_cast<std::size_t>(i)],
                ((at(c + 3) + at(c + 2)) + at(c + 1)) + at(c));
    }
  });
}

TEST(ReductionOrder, IsThatOfTheRanksIfDeterministic) {
  const auto values = wild_values(3, 20);
  on_ranks(3,
           [&](int rank) {
             const Tensor x = tensor(values[static_cast<std::size_t>(rank)]);
             all_reduce(x);
             for (std::size_t i = 0; i < 20; ++i)
               EXPECT_EQ(x.data<float>()[i], (values[0][i] + values[1][i]) + values[2][i]);
             // 1 + 2^-8 + 2^-8 rounds to 1 after each step in bfloat16, but is exact in float32.
             const Tensor half = tensor({rank == 0 ? 1.0 : 0.00390625}, {.dtype = DType::bf16});
             all_reduce(half);
             EXPECT_EQ(half.item<float>(), 1.0078125f);
           },
           {.deterministic = true});
}

TEST(ReductionOrder, RoundsHalfTypesAfterEachStep) {
  on_ranks(3, [](int rank) {
    // The only element is in chunk 0: (x2 + x1) + x0.
    const Tensor x = tensor({rank == 2 ? 1.0 : 0.00390625}, {.dtype = DType::bf16});
    all_reduce(x);
    EXPECT_EQ(x.item<float>(), 1.0f);
  });
}

TEST(ReduceRange, PropagatesNaN) {
  const float nan = std::nanf("");
  const std::vector<float> a = {nan, 1, 2}, b = {0, nan, 3};
  const void* inputs[] = {a.data(), b.data()};
  std::vector<float> out(3);
  void* outputs[] = {out.data()};
  for (const taper_dist_op op : {TAPER_DIST_MIN, TAPER_DIST_MAX, TAPER_DIST_SUM}) {
    reduce_range({inputs, 3, DType::f32, op, ReductionOrder::ring}, 0, 3, outputs);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  }
}

TEST(ReduceRange, WrapsIntegers) {
  on_ranks(2, [](int) {
    const Tensor x = tensor({100}, {.dtype = DType::i8});
    all_reduce(x);
    EXPECT_EQ(x.item<int>(), -56);
    const Tensor y = full({1}, std::int64_t{1} << 62);
    all_reduce(y, {.op = ReduceOp::max});
    EXPECT_EQ(y.item<std::int64_t>(), std::int64_t{1} << 62);
  });
}

TEST(ScaleElements, MultipliesAsTheOp) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    manual_seed(5);
    const Tensor x = randn({1003}).to(dtype), result = empty({1003}, {.dtype = dtype});
    scale_elements(writable_elements(result), readable_elements(x), 1003, dtype, 1.0 / 3);
    EXPECT_TRUE(equal(result, x * (1.0 / 3))) << dtype;
    scale_elements(writable_elements(result), readable_elements(result), 1003, dtype, 7.0);
    EXPECT_TRUE(equal(result, x * (1.0 / 3) * 7.0)) << dtype;
  }
}

}  // namespace
}  // namespace taper::distributed
