// Gaussian error linear unit against formulas in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/sampling.h"
#include "taper/core/parallel.h"
#include "taper/taper.h"

namespace taper {
namespace {

double exact_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double exact_slope(double x) {
  return exact_cdf(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * 3.14159265358979323846);
}

/// Returns the values and the derivatives of gelu.
std::pair<Tensor, Tensor> gelu_and_slope(const Tensor& values, const std::string& approximate) {
  const Tensor x = values.detach().clone().set_requires_grad();
  const Tensor y = F::gelu(x, {.approximate = approximate});
  y.sum().backward();
  return {y.detach(), x.grad()};
}

TEST(Gelu, HasSmallRelativeErrorInBothTails) {
  const Tensor x = linspace(-12, 12, 48001);
  const auto [y, slope] = gelu_and_slope(x, "none");
  constexpr double eps = std::numeric_limits<float>::epsilon();
  for (std::size_t i = 0; i < x.data<float>().size(); ++i) {
    const double v = static_cast<double>(x.data<float>()[i]);
    // The exponent x^2 / 2 is rounded to float.
    const double tolerance = (4 + v * v / 2) * eps, want = v * exact_cdf(v);
    ASSERT_NEAR(static_cast<double>(y.data<float>()[i]), want, tolerance * std::abs(want) + 1e-37)
        << v;
    ASSERT_NEAR(static_cast<double>(slope.data<float>()[i]), exact_slope(v),
                tolerance * (std::abs(exact_slope(v)) + exact_cdf(-std::abs(v))) + 1e-37)
        << v;
  }
}

TEST(Gelu, ComputesDoublesExactly) {
  const Tensor x = linspace(-10, 10, 2001, {.dtype = DType::f64});
  const auto [y, slope] = gelu_and_slope(x, "none");
  for (std::size_t i = 0; i < x.data<double>().size(); ++i) {
    const double v = x.data<double>()[i], want = v * exact_cdf(v);
    ASSERT_NEAR(y.data<double>()[i], want, 1e-13 * std::abs(want)) << v;
    ASSERT_NEAR(slope.data<double>()[i], exact_slope(v), 2e-15) << v;
  }
}

TEST(Gelu, HandlesInfinityAndNaN) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const Tensor x = tensor({inf, -inf, std::nanf(""), 1e30f, -1e30f, 0.0f});
  for (const char* approximate : {"none", "tanh"}) {
    const Tensor y = F::gelu(x, {.approximate = approximate});
    const auto v = y.data<float>();
    EXPECT_EQ(v[0], inf);
    EXPECT_TRUE(std::isnan(v[1]) && std::isnan(v[2]));
    EXPECT_EQ(v[3], 1e30f);
    EXPECT_EQ(v[4], 0.0f);
    EXPECT_EQ(v[5], 0.0f);
  }
}

TEST(Gelu, IsRecordedAsOneNode) {
  const Tensor y = F::gelu(ones({2}).set_requires_grad());
  EXPECT_EQ(y.grad_fn().name(), "GeluBackward0");
}

// Outputs of this size bypass the cache.
TEST(Gelu, IsIndependentOfThreadsForLargeTensors) {
  const int before = get_num_threads();
  const Tensor x = randn({3'300'001}), part = x.narrow(0, 1'000'003, 4099).clone();
  for (const char* approximate : {"none", "tanh"}) {
    set_num_threads(1);
    const Tensor one = F::gelu(x, {.approximate = approximate});
    EXPECT_TRUE(equal(one.narrow(0, 1'000'003, 4099), F::gelu(part, {.approximate = approximate})));
    test::Sample sample(3);
    for (const int threads : {3, 2, 4}) {
      if (!sample.next()) continue;
      set_num_threads(threads);
      EXPECT_TRUE(equal(one, F::gelu(x, {.approximate = approximate}))) << threads;
    }
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace taper
