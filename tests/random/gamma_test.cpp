// Gamma, Dirichlet and binomial samples and their gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/pointwise/special_math.h"
#include "ops/random/implicit_gradient.h"
#include "taper/autograd/autograd.h"
#include "taper/core/error.h"
#include "taper/core/factory.h"
#include "taper/ops/gamma.h"

namespace {

using namespace taper;

// The derivative of the quantile is -(dP/da) / p(x), with differences for dP/da.
TEST(StandardGamma, GradientIsThatOfTheQuantile) {
  for (const double a : {0.05, 0.4, 1.0, 3.0, 40.0, 900.0})
    for (const double probability : {0.01, 0.3, 0.7, 0.99}) {
      double low = 0, high = a + 40 * std::sqrt(a) + 40;
      for (int i = 0; i < 2000; ++i) {
        const double middle = low > 0 ? std::sqrt(low * high) : high / 16;
        (special_math::igamma(a, middle) < probability ? low : high) = middle;
        if (high < 1e-280) break;
      }
      const double x = high, h = 1e-5 * a;
      if (x < 1e-250) continue;
      const double density = std::exp((a - 1) * std::log(x) - x - special_math::lgamma(a));
      const double slope =
          (special_math::igamma(a + h, x) - special_math::igamma(a - h, x)) / (2 * h);
      // The error of the differences.
      EXPECT_NEAR(random::gamma_gradient(a, x) / (-slope / density), 1, 1e-6)
          << a << " " << probability;
    }
}

TEST(StandardGamma, MatchesPyTorch) {
  const Tensor a = tensor({0.3, 1.0, 20.0}, {.dtype = DType::f64}).requires_grad_();
  manual_seed(0);
  const Tensor x = standard_gamma(a);
  EXPECT_TRUE(allclose(
      x,
      tensor({5.90695073130949e-06, 0.11898370896786938, 20.3865197892765}, {.dtype = DType::f64}),
      1e-13, 0));
  x.sum().backward();
  // PyTorch approximates the gradient of large shapes.
  EXPECT_TRUE(allclose(a.grad(),
                       tensor({0.0002337232209380278, 0.32617527010870323, 1.018042188714594},
                              {.dtype = DType::f64}),
                       1e-3, 0))
      << a.grad().str();
}

TEST(StandardGamma, GradientIsFiniteAtTheEnds) {
  for (const double a : {1e-3, 1e-2, 0.5, 1.0, 1e4, 1e6})
    for (const double x : {1e-300, 1e-30, 1e-3, 1.0, a, 1e3})
      if (x < 2 * a + 50) {
        EXPECT_TRUE(std::isfinite(random::gamma_gradient(a, x))) << a << " " << x;
      }
  EXPECT_EQ(random::gamma_gradient(2, 0), 0);
}

// For b = 1 the quantile is u^(1 / a), with the derivative -x log(x) / a.
TEST(SampleDirichlet, GradientIsThatOfTheQuantile) {
  for (const double a : {0.05, 0.7, 1.0, 4.0, 200.0})
    for (const double x : {1e-6, 0.1, 0.5, 0.9, 0.999}) {
      const double expected = -x * std::log(x) / a / (1 - x);
      EXPECT_NEAR(random::beta_gradient(x, a, 1) / expected, 1, 1e-9) << a << " " << x;
    }
}

TEST(SampleDirichlet, GradientPreservesTheSum) {
  const Tensor a = tensor({0.5, 1.0, 3.0}, {.dtype = DType::f64}).requires_grad_();
  manual_seed(1);
  const Tensor x = sample_dirichlet(a);
  EXPECT_NEAR(x.sum().item<double>(), 1, 1e-12);
  x.sum().backward();
  EXPECT_TRUE(allclose(a.grad(), zeros_like(a), 0, 1e-12));
}

TEST(Binomial, HandlesCertainOutcomes) {
  const Tensor count = tensor({0.0, 5.0, 5.0}), prob = tensor({0.5, 0.0, 1.0});
  EXPECT_TRUE(equal(binomial(count, prob), tensor({0.0, 0.0, 5.0})));
}

TEST(Binomial, RejectsInvalidArguments) {
  EXPECT_THROW(binomial(tensor({-1.0}), tensor({0.5})), ValueError);
  EXPECT_THROW(binomial(tensor({1.0}), tensor({1.5})), ValueError);
  EXPECT_THROW(binomial(tensor({1.0}), tensor({0.5, 0.5})), ShapeError);
  EXPECT_THROW(standard_gamma(tensor({0.0})), ValueError);
  EXPECT_THROW(sample_dirichlet(scalar_tensor(1.0)), ShapeError);
}

}  // namespace
