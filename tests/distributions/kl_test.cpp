// kl_divergence: rules that the golden cases do not cover, dispatch and registration.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/distributions/distributions.h"

namespace {

using namespace taper;
using namespace taper::distributions;

double kl(const Distribution& p, const Distribution& q) {
  return kl_divergence(p, q).item<double>();
}

TEST(KlDivergence, OfEnumerableDistributionsIsTheSum) {
  const Binomial p(6, 0.3), q(6, 0.55);
  const Tensor k = p.enumerate_support(), log_p = p.log_prob(k);
  EXPECT_NEAR(kl(p, q), (log_p.exp() * (log_p - q.log_prob(k))).sum().item<double>(), 1e-5);
  EXPECT_TRUE(std::isinf(kl(Binomial(7, 0.3), q)));
}

TEST(KlDivergence, OfLowRankNormalsIsThatOfFullOnes) {
  manual_seed(3);
  const auto low_rank = [] {
    return LowRankMultivariateNormal(randn({3}, {.dtype = DType::f64}),
                                     randn({3, 2}, {.dtype = DType::f64}),
                                     rand({3}, {.dtype = DType::f64}) + 0.5);
  };
  const auto p = low_rank(), q = low_rank();
  const auto full = [](const LowRankMultivariateNormal& d) {
    return MultivariateNormal(d.loc(), {.covariance_matrix = d.covariance_matrix()});
  };
  const double expected = kl(full(p), full(q));
  EXPECT_NEAR(kl(p, q), expected, 1e-9);
  EXPECT_NEAR(kl(full(p), q), expected, 1e-9);
  EXPECT_NEAR(kl(p, full(q)), expected, 1e-9);
  EXPECT_NEAR(kl(p, p), 0, 1e-9);
}

TEST(KlDivergence, SumsIndependentDimensions) {
  const Normal p(tensor({0.0, 1.0}), 1), q(0, tensor({2.0, 3.0}));
  EXPECT_NEAR(kl(Independent(p, 1), Independent(q, 1)), kl_divergence(p, q).sum().item<double>(),
              1e-6);
  EXPECT_THROW(kl(Independent(p, 1), Independent(q, 0)), NotImplementedError);
}

TEST(KlDivergence, OfTransformedDistributionsIsThatOfTheBases) {
  EXPECT_NEAR(kl(LogNormal(0, 1), LogNormal(1, 2)), kl(Normal(0, 1), Normal(1, 2)), 1e-6);
  const TransformedDistribution p(Normal(0, 1), {ExpTransform()});
  EXPECT_THROW(kl(p, TransformedDistribution(Normal(0, 1), {TanhTransform()})),
               NotImplementedError);
}

TEST(KlDivergence, OfExponentialFamiliesUsesTheLogNormalizers) {
  const Gamma p(2.0, 3.0), q(1.5, 2.0);
  const Wishart a(4.0, {.scale_tril = eye(2)}), b(5.0, {.scale_tril = 2 * eye(2)});
  EXPECT_NEAR(kl(a, a), 0, 1e-5);
  EXPECT_GT(kl(a, b), 0);
  EXPECT_NEAR(p.ExponentialFamily::entropy().item<double>() - p.entropy().item<double>(), 0, 1e-5);
  EXPECT_GT(kl(p, q), 0);
}

class Mine : public DistributionOf<Mine, Normal> {
 public:
  Mine() : DistributionOf(0.0, 1.0) {}
};

TEST(KlDivergence, PrefersTheRuleOfTheMostDerivedClass) {
  EXPECT_NEAR(kl(Mine(), Normal(0, 1)), 0, 1e-6);
  register_kl<Mine, Normal>([](const Mine&, const Normal& q) { return q.scale() + 41; });
  EXPECT_EQ(kl(Mine(), Normal(0, 1)), 42);
  EXPECT_NEAR(kl(Normal(0, 1), Mine()), 0, 1e-6);
}

TEST(KlDivergence, RejectsPairsWithoutARule) {
  EXPECT_EQ(test::error_text([] { kl(Normal(0, 1), Poisson(1)); }),
            "No KL(p || q) is implemented for p type Normal and q type Poisson");
}

}  // namespace
