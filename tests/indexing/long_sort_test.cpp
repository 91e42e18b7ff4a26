// Sorting of long slices: radix sort, selection with a filter, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/tensors.h"
#include "support/threads.h"
#include "taper/taper.h"

namespace taper {
namespace {

using test::to_vector, test::with_thread_counts;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Returns n elements with many ties and, of a floating-point type, NaN and zeros of both signs.
Tensor elements_with_ties(std::int64_t n, DType dtype) {
  manual_seed(static_cast<std::uint64_t>(n));
  Tensor x = randint(-90, 90, {n}).to(float64);
  if (!is_floating_point(dtype)) return (dtype == uint8 ? x.abs() : x).to(dtype);
  x = x / 16;
  x.index_put_({randint(0, n, {n / 100})}, full({}, kNotANumber, {.dtype = float64}));
  x.index_put_({randint(0, n, {n / 100})}, full({}, -0.0, {.dtype = float64}));
  return x.to(dtype);
}

bool precedes(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

std::vector<std::int64_t> stable_order(const Tensor& x, bool descending) {
  const auto values = to_vector<double>(x.to(float64));
  std::vector<std::int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return descending ? precedes(at(b), at(a)) : precedes(at(a), at(b));
  });
  return order;
}

/// Returns true if the elements are equal, including the signs of zeros, or both NaN.
bool same_elements(const Tensor& a, const Tensor& b) {
  const Tensor x = a.to(float64), y = b.to(float64);
  return (((x == y) & (signbit(x) == signbit(y))) | (isnan(x) & isnan(y))).all().item<bool>();
}

TEST(LongSort, IsStableForEveryDType) {
  for (const DType dtype :
       {float64, float32, float16, bfloat16, int64, int32, int16, int8, uint8, bool_})
    for (const std::int64_t n : {50, 1000, 100'000})
      for (const bool descending : {false, true}) {
        const Tensor x = elements_with_ties(n, dtype);
        const auto [values, indices] = x.sort(0, descending);
        EXPECT_EQ(to_vector<std::int64_t>(indices), stable_order(x, descending)) << n;
        EXPECT_TRUE(same_elements(values, x.index_select(0, indices))) << n;
      }
}

TEST(LongSort, SortsTheFullRangeOfInt64) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min(),
                 kMax = std::numeric_limits<std::int64_t>::max();
  manual_seed(1);
  const Tensor x = cat({randint(kMin, kMax, {3000}), tensor({kMax, kMin, std::int64_t{0}})});
  auto expected = to_vector<std::int64_t>(x);
  std::sort(expected.begin(), expected.end());
  const auto [values, indices] = x.sort();
  EXPECT_EQ(to_vector<std::int64_t>(values), expected);
  EXPECT_TRUE(equal(x.index_select(0, indices), values));
  EXPECT_TRUE(equal(unique(x).output, unique(x, true, true).output));
}

TEST(LongSort, SortsLongRunsOfEqualLeadingBits) {
  manual_seed(3);
  const Tensor x = randint(0, 1000, {100'000});
  x.index_put_({tensor({5})}, tensor({std::int64_t{1} << 62}));
  for (const bool descending : {false, true}) {
    const auto [values, indices] = x.sort(0, descending);
    EXPECT_EQ(to_vector<std::int64_t>(indices), stable_order(x, descending));
    EXPECT_TRUE(equal(x.index_select(0, indices), values));
  }
}

TEST(LongSort, SortsEqualElementsAndCommonBits) {
  EXPECT_TRUE(equal(full({5000}, 7).sort().second, arange(5000)));
  const Tensor x = arange(5000).flip(0) * 1024 + 5;
  EXPECT_TRUE(equal(x.sort().first, x.flip(0)));
  EXPECT_TRUE(equal(x.sort(0, true).first, x));
}

TEST(LongSort, DoesNotDependOnTheNumberOfThreads) {
  manual_seed(2);
  for (const Shape& shape : {Shape{300'000}, Shape{3, 140'000}, Shape{140'000, 3}}) {
    const Tensor x = elements_with_ties(shape.numel(), float32).reshape(shape);
    for (const std::int64_t dim : {std::int64_t{0}, std::int64_t(shape.size()) - 1}) {
      const auto all = with_thread_counts([&] { return x.sort(dim); });
      for (const auto& [values, indices] : all) {
        EXPECT_TRUE(same_elements(values, all[0].first));
        EXPECT_TRUE(equal(indices, all[0].second));
      }
      EXPECT_TRUE(same_elements(all[0].first, x.gather(dim, all[0].second)));
    }
  }
}

TEST(LongTopK, SelectsTheElementsOfThePartialSortOfAllElements) {
  struct Item {
    double value;
    std::int64_t position;
  };
  for (const DType dtype : {float64, float32, bfloat16, int64, int32, uint8})
    for (const bool largest : {false, true})
      for (const std::int64_t k : {1, 30, 150}) {
        const Tensor x = elements_with_ties(20'000, dtype);
        std::vector<Item> items;
        for (const double value : to_vector<double>(x.to(float64)))
          items.push_back({value, static_cast<std::int64_t>(items.size())});
        std::partial_sort(
            items.begin(), items.begin() + k, items.end(), [&](const Item& a, const Item& b) {
              return largest ? precedes(b.value, a.value) : precedes(a.value, b.value);
            });
        std::vector<std::int64_t> expected;
        for (std::int64_t i = 0; i < k; ++i)
          expected.push_back(items[static_cast<std::size_t>(i)].position);
        const auto [values, indices] = topk(x, k, 0, largest);
        EXPECT_EQ(to_vector<std::int64_t>(indices), expected) << dtype << " " << k;
        EXPECT_TRUE(same_elements(values, x.index_select(0, indices)));
        EXPECT_TRUE(equal(topk(x.unsqueeze(1).expand({-1, 2}), k, 0, largest).second.select(1, 1),
                          indices));
      }
}

TEST(LongUnique, ReturnsTheFirstZeroAndEveryNaN) {
  const Tensor x = tensor({2.0, -0.0, kNotANumber, 0.0, 2.0, kNotANumber, -1.0});
  for (const bool inverse : {false, true}) {
    const auto result = unique(x, true, inverse, true);
    EXPECT_TRUE(same_elements(result.output, tensor({-1.0, -0.0, 2.0, kNotANumber, kNotANumber})));
    EXPECT_EQ(result.counts.str(), "tensor([1, 2, 2, 1, 1])");
    if (inverse) { EXPECT_EQ(result.inverse_indices.str(), "tensor([2, 1, 3, 1, 2, 4, 0])"); }
  }
}

TEST(LongUnique, ReconstructsTheInput) {
  for (const DType dtype : {float32, bfloat16, int64, uint8, bool_}) {
    const Tensor x = elements_with_ties(250'000, dtype);
    const auto all = with_thread_counts([&] { return unique(x, true, true, true); });
    const auto without_inverse = with_thread_counts([&] { return unique(x, true, false, true); });
    for (const auto& [output, inverse, counts] : all) {
      EXPECT_TRUE(allclose(output.index_select(0, inverse).to(float64), x.to(float64), 0, 0, true));
      EXPECT_TRUE(equal(inverse, all[0].inverse_indices));
      EXPECT_TRUE(equal(counts, all[0].counts));
      EXPECT_TRUE(equal(counts, bincount(inverse)));
    }
    for (const auto& result : without_inverse) {
      EXPECT_TRUE(same_elements(result.output, all[0].output));
      EXPECT_TRUE(equal(result.counts, all[0].counts));
    }
    const auto sorted = x.sort().first;
    EXPECT_EQ(all[0].output.numel(), unique_consecutive(sorted).output.numel());
  }
}

}  // namespace
}  // namespace taper
