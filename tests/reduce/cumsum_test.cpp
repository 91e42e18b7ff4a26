// Cumulative sums of long rows, columns and integers.
#include <gtest/gtest.h>

#include <limits>

#include "support/tensors.h"
#include "support/threads.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::to_vector, test::with_thread_counts;

TEST(CumSum, AccumulatesFloat32InDouble) {
  manual_seed(5);
  const Tensor x = randn({100'003}) + 1;
  std::vector<double> sums;
  for (const float value : to_vector<float>(x))
    sums.push_back((sums.empty() ? 0 : sums.back()) + static_cast<double>(value));
  const auto computed = to_vector<float>(x.cumsum(0));
  // The sums are rounded once to float32.
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_NEAR(computed[i], sums[i], std::abs(sums[i]) * 0x1.001p-24 + 1e-9) << i;
}

TEST(CumSum, DoesNotDependOnTheNumberOfThreads) {
  manual_seed(6);
  for (const DType dtype : {float32, float64, bfloat16, float16})
    for (const Shape& shape : {Shape{70'001}, Shape{2, 70'000}, Shape{300, 700}, Shape{40, 5000}}) {
      const Tensor x = randn(shape).to(dtype), g = randn(shape).to(dtype);
      for (const std::int64_t dim : {std::int64_t{0}, std::int64_t(shape.size()) - 1}) {
        const auto sums = with_thread_counts([&] { return x.cumsum(dim); });
        const auto gradients = with_thread_counts([&] {
          const Tensor input = x.detach().set_requires_grad();
          input.cumsum(dim).backward(g);
          return input.grad();
        });
        const auto in_place = with_thread_counts([&] { return x.clone().cumsum_(dim); });
        for (std::size_t i = 0; i < sums.size(); ++i) {
          EXPECT_TRUE(equal(sums[i], sums[0]));
          EXPECT_TRUE(equal(gradients[i], gradients[0]));
          EXPECT_TRUE(equal(in_place[i], sums[0]));
        }
        EXPECT_TRUE(equal(gradients[0], g.flip(dim).cumsum(dim).flip(dim)));
      }
    }
}

TEST(CumSum, DividesLongRowsAmongThreads) {
  manual_seed(8);
  for (const DType dtype : {float32, int64}) {
    const Tensor x = randint(-9, 9, {2'200'001}).to(dtype);
    const auto sums = with_thread_counts([&] { return x.cumsum(0); });
    const auto in_place = with_thread_counts([&] { return x.clone().cumsum_(0); });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_TRUE(equal(sums[i], sums[0]));
      EXPECT_TRUE(equal(in_place[i], sums[0]));
    }
    EXPECT_TRUE(equal(sums[0].slice(0, 1, {}) - x.slice(0, 1, {}), sums[0].slice(0, {}, -1)));
  }
}

TEST(CumSum, SumsColumnsAsRows) {
  manual_seed(7);
  const Tensor x = randn({50, 600});
  // Sums in double are regrouped in rows only.
  EXPECT_TRUE(allclose(x.cumsum(0), x.t().contiguous().cumsum(1).t(), 1e-6, 1e-6));
  const Tensor whole = randint(-9, 9, {5, 300, 7});
  EXPECT_TRUE(equal(whole.cumsum(1), whole.transpose(1, 2).contiguous().cumsum(2).transpose(1, 2)));
}

TEST(CumSum, SumsIntegersToInt64) {
  EXPECT_TRUE(equal(ones({70'000}, {.dtype = bool_}).cumsum(0), arange(1, 70'001)));
  EXPECT_TRUE(equal(full({70'000}, -1, {.dtype = int32}).cumsum(0), -arange(1, 70'001)));
  EXPECT_EQ(tensor({200, 100}).to(uint8).cumsum(0).str(), "tensor([200, 300])");
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(tensor({kMax, std::int64_t{1}}).cumsum(0).select(0, 1).item<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
}

TEST(CumSum, PropagatesInfinityAndNaN) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = tensor({1.0, inf, 2.0, 3.0, -inf, 1.0}).to(float32);
  EXPECT_EQ(x.cumsum(0).str(), "tensor([1., inf, inf, inf, nan, nan])");
}

}  // namespace
}  // namespace taper
