#include "core/random/fills.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/random/vector_math.h"
#include "taper/core/error.h"

namespace {

using namespace taper;
using namespace taper::random;

TEST(Fills, VectorKernelsMatchPolynomialsBitwise) {
  Engine engine(11);
  std::vector<float> x(16 * 1000);
  for (float& u : x) u = engine.uniform24();
  for (const float edge : {0.0f, 0x1p-24f, 1 - 0x1p-24f, 0.5f, 0.25f, 0.75f, 0.125f}) {
    x.insert(x.end(), 8, edge);
    for (const float angle : {0.0f, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 1 - 0x1p-24f})
      x.push_back(angle);
  }
  std::vector<float> got = x;
  const auto blocks = static_cast<std::int64_t>(x.size() / 16);
  box_muller(got.data(), blocks, 0.25f, 3.0f);
  for (std::size_t i = 0; i < x.size(); i += 16)
    for (std::size_t j = i; j < i + 8; ++j) {
      const float r = std::sqrt(-2.0f * log_polynomial(1.0f - x[j]));
      const SinCos t = sincos_polynomial(2 * std::numbers::pi_v<float> * x[j + 8]);
      ASSERT_EQ(got[j], std::fma(r * t.cosine, 3.0f, 0.25f)) << x[j] << ' ' << x[j + 8];
      ASSERT_EQ(got[j + 8], std::fma(r * t.sine, 3.0f, 0.25f)) << x[j] << ' ' << x[j + 8];
    }
}

TEST(Fills, PolynomialsApproximateFunctions) {
  Engine engine(2);
  for (int i = 0; i < 10000; ++i) {
    const float x = 1 - engine.uniform24();
    EXPECT_NEAR(log_polynomial(x), std::log(static_cast<double>(x)),
                2e-7 * (1 + std::fabs(std::log(x))));
    const float t = 2 * std::numbers::pi_v<float> * engine.uniform24();
    const SinCos v = sincos_polynomial(t);
    EXPECT_NEAR(v.sine, std::sin(static_cast<double>(t)), 2e-7);
    EXPECT_NEAR(v.cosine, std::cos(static_cast<double>(t)), 2e-7);
  }
}

TEST(Fills, BulkWordsEqualSingleWords) {
  Engine bulk(4), single(4);
  for (const std::size_t n : {1u, 7u, 623u, 624u, 1u, 2000u, 0u, 5u}) {
    std::vector<std::uint32_t> words(n);
    bulk.fill(words);
    for (const std::uint32_t word : words) ASSERT_EQ(word, single.next32());
    ASSERT_EQ(bulk.state(), single.state());
  }
}

// The sizes are close to multiples of the chunks in which fills work. A longer fill must start with
// the values of a shorter one.
TEST(Fills, LongFillsStartWithShortOnes) {
  const auto uniforms = [](std::size_t n) {
    Engine engine(5);
    std::vector<BFloat16> x(n);
    fill_uniform(engine, Target(std::span(x)), -2, 3);
    return x;
  };
  const auto normals = [](std::size_t n) {
    Engine engine(5);
    std::vector<float> x(n);
    fill_normal(engine, Target(std::span(x)), 1, 2);
    return x;
  };
  const auto many = uniforms(5000);
  const auto wide = normals(4096);
  for (const std::size_t n : {1u, 1023u, 1024u, 1025u, 2048u, 4999u}) {
    const auto few = uniforms(n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(few[i].bits, many[i].bits);
  }
  for (const std::size_t n : {16u, 1008u, 1024u, 1040u, 2048u})
    EXPECT_TRUE(std::ranges::equal(normals(n), std::span(wide).first(n)));
}

TEST(Fills, StandardGammaHasExpectedMoments) {
  for (const double alpha : {0.3, 1.0, 2.5, 40.0}) {
    Engine engine(6);
    constexpr int kDraws = 20000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double x = standard_gamma(engine, alpha);
      ASSERT_GT(x, 0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    EXPECT_NEAR(mean, alpha, 5 * std::sqrt(alpha / kDraws));
    EXPECT_NEAR(variance, alpha, 0.1 * alpha);
  }
}

TEST(Fills, PoissonHasExpectedMoments) {
  for (const double rate : {0.0, 0.5, 9.99, 10.0, 250.0}) {
    Engine engine(8);
    constexpr int kDraws = 20000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double x = poisson(engine, rate);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
    EXPECT_NEAR(mean, rate, 5 * std::sqrt(rate / kDraws));
    EXPECT_NEAR(variance, rate, 0.05 * rate);
  }
}

TEST(Fills, MultinomialNeverDrawsZeroWeight) {
  const std::vector<float> weights{0, 1, 0, 2, 0};
  for (const bool replacement : {false, true}) {
    Engine engine(9);
    std::vector<std::int64_t> out(200);
    const std::int64_t samples = replacement ? 200 : 2;
    fill_multinomial(engine, out.data(),
                     {.weights = weights.data(),
                      .categories = 5,
                      .samples = samples,
                      .replacement = replacement});
    for (std::int64_t i = 0; i < samples; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)] % 2, 1) << replacement;
  }
}

TEST(Fills, TruncatedNormalStaysInBounds) {
  for (const auto& [low, high] : {std::pair(-0.5, 1.0), {2.0, 2.5}, {-9.0, -3.0}}) {
    Engine engine(10);
    std::vector<double> x(500);
    fill_trunc_normal(engine, Target(std::span(x)), 0, 1, low, high);
    for (const double v : x) {
      ASSERT_GE(v, low);
      ASSERT_LE(v, high);
    }
  }
}

TEST(Fills, TruncatedNormalOfImprobableBoundsEnds) {
  // A peak that few candidates hit, a tail whose densities are rounded away, one point, and a
  // deviation below the resolution of the bounds.
  struct Case {
    double mean, std, low, high;
  };
  for (const Case& c : {Case{0, 1, -1e3, 1e6},
                        {0, 1, 150.3, 151},
                        {0, 1e-3, 7, 7},
                        {1, 1e-300, 2, 1e300},
                        {0, 1, -1e308, 1e-3}}) {
    Engine engine(11);
    std::vector<float> x(20000);
    fill_trunc_normal(engine, Target(std::span(x)), c.mean, c.std, c.low, c.high);
    for (const float v : x) {
      ASSERT_GE(v, static_cast<float>(c.low)) << c.low << " to " << c.high;
      ASSERT_LE(v, static_cast<float>(c.high)) << c.low << " to " << c.high;
    }
    std::vector<BFloat16> narrow(100);
    fill_trunc_normal(engine, Target(std::span(narrow)), c.mean, c.std, c.low, c.high);
  }
}

TEST(Fills, PermutesEveryIntegerType) {
  Engine a(12), b(12);
  std::vector<std::int64_t> wide(100);
  std::vector<std::uint8_t> narrow(100);
  fill_permutation(a, Target(std::span(wide)));
  fill_permutation(b, Target(std::span(narrow)));
  EXPECT_TRUE(std::equal(wide.begin(), wide.end(), narrow.begin()));
  std::sort(wide.begin(), wide.end());
  std::vector<std::int64_t> all(100);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(wide, all);
}

TEST(Fills, RejectsIntegersForFloatingFills) {
  Engine engine;
  const Engine before = engine;
  std::vector<std::int64_t> x(3, 7);
  const Target out{std::span(x)};
  EXPECT_THROW(fill_uniform(engine, out, 0, 1), DTypeError);
  EXPECT_THROW(fill_normal(engine, out, 0, 1), DTypeError);
  EXPECT_THROW(fill_exponential(engine, out, 1), DTypeError);
  EXPECT_THROW(fill_trunc_normal(engine, out, 0, 1, -2, 2), DTypeError);
  EXPECT_EQ(x, std::vector<std::int64_t>(3, 7));
  EXPECT_EQ(engine.state(), before.state());
}

}  // namespace
