// Products of bf16 by AVX512-BF16.
#include "cpu/gemm/bf16_dot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

namespace taper::cpu {
namespace {

std::vector<BFloat16> random_elements(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<BFloat16> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(normal(engine));
  return values;
}

std::vector<double> in_double(const std::vector<BFloat16>& values) {
  std::vector<double> result;
  for (const BFloat16 x : values) result.push_back(static_cast<float>(x));
  return result;
}

struct DotCase {
  std::int64_t m, n, k;
  bool transposed_a, transposed_b, with_bias, accumulate, relu, packed;
};

/// Compares every element with the sum in f64. Elements around C are not written.
template <class C> void expect_product(const DotCase& t) {
  const auto a = random_elements(t.m * t.k, 1), b = random_elements(t.k * t.n, 2);
  std::vector<float> bias(static_cast<std::size_t>(t.n), 0.25f);
  const std::int64_t c_row = t.n + 3;
  std::vector<C> c(static_cast<std::size_t>(t.m * c_row), C(2.0f));
  Gemm<BFloat16, C> g{.m = t.m, .n = t.n, .k = t.k, .a = a.data(), .b = b.data()};
  g.a_row = t.transposed_a ? 1 : t.k, g.a_col = t.transposed_a ? t.m : 1;
  g.b_row = t.transposed_b ? 1 : t.n, g.b_col = t.transposed_b ? t.k : 1;
  g.c = c.data(), g.c_row = c_row, g.accumulate = t.accumulate, g.relu = t.relu;
  std::vector<BFloat16> panels;
  if constexpr (std::is_same_v<C, BFloat16>) {
    panels.resize(static_cast<std::size_t>(gemm_panels_size(g)));
    gemm_pack(g, panels.data());
    if (t.packed) g.panels = panels.data();
  }
  gemm_bf16_dot(g, t.with_bias ? bias.data() : nullptr);
  const std::vector<double> xs = in_double(a), ys = in_double(b);
  for (std::int64_t i = 0; i < t.m; ++i)
    for (std::int64_t j = 0; j < c_row; ++j) {
      const auto actual = static_cast<float>(c[static_cast<std::size_t>(i * c_row + j)]);
      if (j >= t.n) {
        ASSERT_EQ(actual, 2.0f) << i << " " << j;
        continue;
      }
      double sum = (t.with_bias ? 0.25 : 0) + (t.accumulate ? 2 : 0), magnitude = 1;
      for (std::int64_t k = 0; k < t.k; ++k) {
        const double product =
            xs.data()[i * g.a_row + k * g.a_col] * ys.data()[k * g.b_row + j * g.b_col];
        sum += product, magnitude += std::abs(product);
      }
      if (t.relu) sum = std::max(sum, 0.0);
      // Half a unit in the last of the 8 bits of bf16.
      const double rounding = std::is_same_v<C, float> ? 0 : std::abs(sum) / 256;
      ASSERT_NEAR(actual, sum, 1e-6 * magnitude + rounding)
          << "element " << i << ", " << j << " of " << t.m << " x " << t.n << " x " << t.k;
    }
}

TEST(Bf16Dot, MatchesSumsInDouble) {
  if (!has_bf16_dot(512, 512, 512)) GTEST_SKIP() << "the processor has no AVX512-BF16";
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{8, 48, 16},
                                {9, 49, 17},
                                {7, 15, 33},
                                {65, 100, 64},
                                {64, 48, 1024},
                                {20, 50, 2049},
                                {1, 1, 1}})
    for (int bits = 0; bits<64; bits += m * n * k>(1 << 16) ? 5 : 1) {
      const DotCase t{m,
                      n,
                      k,
                      (bits & 1) != 0,
                      (bits & 2) != 0,
                      (bits & 4) != 0,
                      (bits & 8) != 0,
                      (bits & 16) != 0,
                      (bits & 32) != 0};
      expect_product<float>(t);
      expect_product<BFloat16>(t);
    }
}

template <class C> void expect_nan() {
  const std::vector<BFloat16> a(8 * 16, BFloat16(NAN)), b(16 * 48, BFloat16(1.0f));
  std::vector<C> c(8 * 48);
  gemm_bf16_dot<C>({.m = 8,
                    .n = 48,
                    .k = 16,
                    .a = a.data(),
                    .a_row = 16,
                    .b = b.data(),
                    .b_row = 48,
                    .c = c.data(),
                    .c_row = 48,
                    .relu = true},
                   nullptr);
  for (const C x : c) ASSERT_TRUE(std::isnan(static_cast<float>(x)));
}

TEST(Bf16Dot, PropagatesNaN) {
  if (!has_bf16_dot(512, 512, 512)) GTEST_SKIP() << "the processor has no AVX512-BF16";
  expect_nan<float>();
  expect_nan<BFloat16>();
}

TEST(Bf16Dot, LeavesSmallProductsToOtherKernels) {
  EXPECT_FALSE(has_bf16_dot(4, 512, 512));
  EXPECT_FALSE(has_bf16_dot(512, 8, 512));
  EXPECT_FALSE(has_bf16_dot(512, 512, 8));
  EXPECT_FALSE(has_bf16_dot(8, 16, 16));
}

}  // namespace
}  // namespace taper::cpu
