// Reductions and scans of sizes at which the kernels use blocks, wide columns or selection by keys,
// compared with sums and sorts of single elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "taper/core/factory.h"
#include "taper/core/parallel.h"
#include "taper/ops/random.h"
#include "taper/taper.h"

namespace taper {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<float> elements_of(const Tensor& t) {
  const auto* const first = t.const_data_ptr<float>();
  return {first, first + t.numel()};
}

TEST(LargeReduction, SumsShortRows) {
  manual_seed(1);
  for (const std::int64_t n : {2, 3, 4, 5, 8}) {
    const Tensor x = randn({2, 700, n}), sums = x.sum(2);
    const std::vector<float> values = elements_of(x), got = elements_of(sums);
    for (std::size_t r = 0; r < got.size(); ++r) {
      const auto* const row = values.data() + r * static_cast<std::size_t>(n);
      EXPECT_NEAR(got[r], std::accumulate(row, row + n, 0.0), 1e-5);
    }
    EXPECT_TRUE(allclose(x.to(DType::f64).sum(2), sums.to(DType::f64), 1e-5, 1e-5));
    EXPECT_TRUE(equal(x.amax(2), x.max(2).first));
  }
}

TEST(LargeReduction, FoldsWideColumns) {
  manual_seed(2);
  for (const std::int64_t columns : {65, 511, 513, 1030}) {
    const Tensor x = randn({67, columns});
    EXPECT_TRUE(allclose(x.sum(0), x.t().contiguous().sum(1), 1e-5, 1e-5));
    EXPECT_TRUE(equal(x.amin(0), x.t().contiguous().amin(1)));
    EXPECT_TRUE(allclose(x.var(0), x.t().contiguous().var(1), 1e-5, 1e-5));
  }
}

TEST(LargeReduction, PropagatesNaNAndInfinityInExtrema) {
  Tensor x = arange(3000.).reshape({3, 1000});
  x.index({1, 7}).fill_(kInfinite);
  x.index({1, 8}).fill_(-kInfinite);
  x.index({2, 500}).fill_(NAN);
  const Tensor most = x.amax(1), least = x.amin(1);
  EXPECT_EQ(most[0].item<double>(), 999);
  EXPECT_EQ(most[1].item<double>(), kInfinite);
  EXPECT_EQ(least[1].item<double>(), -kInfinite);
  EXPECT_TRUE(std::isnan(most[2].item<double>()) && std::isnan(least[2].item<double>()));
}

TEST(LargeReduction, FoldsBFloat16) {
  manual_seed(3);
  const Tensor x = randn({130, 300}).to(DType::bf16), wide = x.to(DType::f32);
  for (const std::int64_t dim : {0, 1}) {
    EXPECT_TRUE(equal(x.sum(dim), wide.sum(dim).to(DType::bf16)));
    EXPECT_TRUE(equal(x.amax(dim), wide.amax(dim).to(DType::bf16)));
    EXPECT_TRUE(equal(x.max(dim).first, wide.amax(dim).to(DType::bf16)));
    EXPECT_TRUE(equal(x.max(dim).second, wide.max(dim).second));
    EXPECT_TRUE(equal(x.min(dim).second, wide.min(dim).second));
  }
}

template <class T> void expect_median_of_large_tensor(Tensor x) {
  std::vector<T> sorted(x.const_data_ptr<T>(), x.const_data_ptr<T>() + x.numel());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(x.median().template item<T>(), sorted[(sorted.size() - 1) / 2]);
}

TEST(LargeMedian, SelectsByKeys) {
  manual_seed(4);
  expect_median_of_large_tensor<float>(randn({100001}));
  expect_median_of_large_tensor<double>(randn({70000}, {.dtype = DType::f64}));
  expect_median_of_large_tensor<double>(full({5000}, kInfinite, {.dtype = DType::f64}));
  expect_median_of_large_tensor<double>(full({5000}, -1e300, {.dtype = DType::f64}));
  expect_median_of_large_tensor<std::int64_t>(randint(-9, 9, {65537}));
  Tensor x = zeros({5000});
  x.index({4000}).fill_(NAN);
  EXPECT_TRUE(std::isnan(x.median().item<float>()));
}

/// Expects the scans of `x` along both dimensions to be those of single elements.
template <class Scan, class Step>
void expect_scan(const Tensor& x, Scan&& scan, double start, Step&& step) {
  for (const std::int64_t dim : {0, 1}) {
    const Tensor got = scan(x, dim), rows = dim == 0 ? got.t().contiguous() : got,
                 from = dim == 0 ? x.t().contiguous() : x;
    const std::vector<float> y = elements_of(rows), values = elements_of(from);
    const auto n = static_cast<std::size_t>(from.size(1));
    double total = start;
    for (std::size_t i = 0; i < y.size(); ++i) {
      total = step(i % n == 0 ? start : total, static_cast<double>(values[i]));
      if (std::isnan(total))
        EXPECT_TRUE(std::isnan(y[i]));
      else
        EXPECT_FLOAT_EQ(y[i], static_cast<float>(total));
    }
  }
}

double log_of_sum(double a, double b) {
  const double high = std::max(a, b);
  return std::isnan(a + b)  ? NAN
         : std::isinf(high) ? high
                            : high + std::log1p(std::exp(std::min(a, b) - high));
}

TEST(LargeScan, MatchesSingleElements) {
  manual_seed(5);
  const auto sums = [](const Tensor& x, std::int64_t d) { return x.cumsum(d); };
  const auto products = [](const Tensor& x, std::int64_t d) { return x.cumprod(d); };
  const auto logs = [](const Tensor& x, std::int64_t d) { return x.logcumsumexp(d); };
  const Tensor x = rand({5, 523}) + 0.5;
  expect_scan(x, sums, 0, [](double a, double b) { return a + b; });
  expect_scan(x, products, 1, [](double a, double b) { return a * b; });
  Tensor y = randn({4, 600}) * 20;
  expect_scan(y, logs, -kInfinite, log_of_sum);
  y.index({0, 0}).fill_(-kInfinite);
  y.index({1, 100}).fill_(kInfinite);
  y.index({2, 300}).fill_(NAN);
  y.index({3, 0}).fill_(-3e38);
  expect_scan(y, logs, -kInfinite, log_of_sum);
}

TEST(LargeScan, ExtremaKeepTheLastOfEqualElements) {
  Tensor x = randint(0, 40, {3, 300}).to(DType::f32);
  x.index({1, 150}).fill_(NAN);
  for (const std::int64_t dim : {0, 1}) {
    const auto [values, indices] = x.cummax(dim);
    const Tensor again = x.gather(dim, indices);
    EXPECT_TRUE(allclose(values, again, 0, 0, true));
    const auto [columns, places] = x.t().contiguous().cummax(1 - dim);
    EXPECT_TRUE(equal(indices, places.t()));
    EXPECT_TRUE(allclose(values, columns.t(), 0, 0, true));
  }
  EXPECT_TRUE(equal(tensor({1., 1., 0., 1.}).cummax(0).second, tensor({0, 1, 1, 3})));
}

TEST(LargeScan, DoesNotDependOnThreads) {
  manual_seed(6);
  const Tensor x = randn({3000001});
  const int before = get_num_threads();
  set_num_threads(1);
  const Tensor sums = x.cumsum(0), median = x.median(), total = x.sum();
  set_num_threads(3);
  EXPECT_TRUE(equal(sums, x.cumsum(0)));
  EXPECT_TRUE(equal(median, x.median()));
  EXPECT_TRUE(equal(total, x.sum()));
  set_num_threads(before);
}

}  // namespace
}  // namespace taper
