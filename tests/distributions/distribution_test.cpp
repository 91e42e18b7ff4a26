// Shapes, printed forms, validation and expansion of distributions.
#include <gtest/gtest.h>

#include <cmath>

#include "support/error_text.h"
#include "taper/core/factory.h"
#include "taper/distributions/distributions.h"
#include "taper/nn/parameter.h"

namespace {

using namespace taper;
using namespace taper::distributions;
using test::error_text;

TEST(Distribution, PrintsAsPython) {
  EXPECT_EQ(Normal(0.5, 2.0).str(), "Normal(loc: 0.5, scale: 2.0)");
  EXPECT_EQ(Normal(zeros({2, 3}), 1).str(),
            "Normal(loc: torch.Size([2, 3]), scale: torch.Size([2, 3]))");
  EXPECT_EQ(Normal(tensor({0.5}), 1).str(), "Normal(loc: tensor([0.5000]), scale: tensor([1.]))");
  const Tensor leaf = zeros({1}, {.requires_grad = true});
  EXPECT_EQ(Normal(leaf, 1).str(),
            "Normal(loc: tensor([0.], requires_grad=True), scale: tensor([1.]))");
  EXPECT_EQ(Normal(leaf * 2, 1).str(),
            "Normal(loc: tensor([0.], grad_fn=<MulBackward0>), scale: tensor([1.]))");
  EXPECT_EQ(Normal(leaf.sum(), 1).str(), "Normal(loc: 0.0, scale: 1.0)");
  EXPECT_EQ(Normal(nn::Parameter(zeros({})), 1).str(),
            "Normal(loc: Parameter containing:\ntensor(0., requires_grad=True), scale: 1.0)");
  EXPECT_EQ(Categorical(ones({2})).str(), "Categorical(probs: torch.Size([2]))");
  EXPECT_EQ(Pareto(1.0, 3.0).str(), "Pareto(alpha: 3.0, scale: 1.0)");
  EXPECT_EQ(Beta(1.0, 2.0).str(), "Beta()");
  EXPECT_EQ(MixtureSameFamily(Categorical(ones({2})), Normal(zeros({2}), 1)).str(),
            "MixtureSameFamily(\n  Categorical(probs: torch.Size([2])),\n  Normal(loc: "
            "torch.Size([2]), scale: torch.Size([2])))");
}

TEST(Distribution, ListsConstraintsOfAllParameters) {
  const auto constraints = Bernoulli({.logits = zeros({})}).arg_constraints();
  ASSERT_EQ(constraints.size(), 2u);
  EXPECT_EQ(constraints[0].first, "probs");
  EXPECT_EQ(constraints[0].second.str(), "Interval(lower_bound=0.0, upper_bound=1.0)");
  EXPECT_EQ(constraints[1].first, "logits");
  EXPECT_EQ(Chi2(1.0).arg_constraints()[0].first, "df");
  EXPECT_EQ(OneHotCategorical(ones({2})).arg_constraints()[1].first, "logits");
  const auto covariances = MultivariateNormal(zeros({2}), {.scale_tril = eye(2)}).arg_constraints();
  ASSERT_EQ(covariances.size(), 4u);
  EXPECT_EQ(covariances[3].first, "scale_tril");
}

TEST(Distribution, RejectsInvalidParametersByName) {
  EXPECT_EQ(error_text([] {
              Normal(0, tensor({1.0, -1.0}));
            }),
            "Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc: "
            "torch.Size([2]), scale: torch.Size([2])) to satisfy the constraint "
            "GreaterThan(lower_bound=0.0), but found invalid values:\ntensor([ 1., -1.])");
  EXPECT_NO_THROW(Normal(0, -1, false));
  EXPECT_THROW(Normal(zeros({2}), ones({3})), ShapeError);
  EXPECT_THROW(Bernoulli(ProbsOrLogits{}), ValueError);
  EXPECT_THROW(MultivariateNormal(zeros({2}), {}), ValueError);
  EXPECT_THROW(Multinomial(-1, ones({3})), ValueError);
  EXPECT_THROW(LKJCholesky(1), ValueError);
  EXPECT_THROW(Geometric(0.0), ValueError);
}

TEST(Distribution, RejectsValuesOutsideOfTheSupport) {
  EXPECT_EQ(
      error_text([] { Exponential(1.0).log_prob(-1.0); }),
      "Expected value argument (Tensor of shape ()) to be within the support "
      "(GreaterThanEq(lower_bound=0.0)) of the distribution Exponential(rate: 1.0), but found "
      "invalid values:\n-1.0");
  EXPECT_THROW(Dirichlet(ones({3})).log_prob(full({2}, 0.5)), ValueError);
  EXPECT_THROW(Normal(zeros({3}), 1).log_prob(zeros({2})), ValueError);
  EXPECT_NO_THROW(Exponential(1.0, false).log_prob(-1.0));
}

TEST(Distribution, UsesTheDefaultOfValidation) {
  Distribution::set_default_validate_args(false);
  EXPECT_NO_THROW(Normal(0, -1));
  Distribution::set_default_validate_args(true);
  EXPECT_THROW(Normal(0, -1), ValueError);
}

TEST(Distribution, RejectsMembersThatAreNotDefined) {
  EXPECT_EQ(error_text([] { Poisson(1.0).icdf(0.5); }), "Poisson: icdf is not implemented");
  EXPECT_THROW(Bernoulli(0.5).rsample(), NotImplementedError);
  EXPECT_THROW(Normal(0, 1).enumerate_support(), NotImplementedError);
}

std::vector<AnyDistribution> all_distributions() {
  const Tensor pair = tensor({0.5, 0.5});
  return {Bernoulli(0.5),
          Beta(1, 2.0),
          Binomial(3, 0.5),
          Categorical(pair),
          Cauchy(0, 1),
          Chi2(1),
          ContinuousBernoulli(0.3),
          Dirichlet(pair),
          Exponential(1),
          FisherSnedecor(3, 5),
          Gamma(1, 1),
          GeneralizedPareto(0, 1, 0.1),
          Geometric(0.5),
          Gumbel(0, 1),
          HalfCauchy(1),
          HalfNormal(1),
          Independent(Normal(pair, pair), 1),
          InverseGamma(3, 1),
          Kumaraswamy(1, 1),
          Laplace(0, 1),
          LKJCholesky(3),
          LogNormal(0, 1),
          LogisticNormal(pair, pair),
          LowRankMultivariateNormal(pair, pair.unsqueeze(1), pair),
          MixtureSameFamily(Categorical(pair), Normal(pair, pair)),
          Multinomial(3, pair),
          MultivariateNormal(pair, {.covariance_matrix = eye(2)}),
          NegativeBinomial(3, 0.5),
          Normal(0, 1),
          OneHotCategorical(pair),
          OneHotCategoricalStraightThrough(pair),
          Pareto(1, 3),
          Poisson(1),
          RelaxedBernoulli(scalar_tensor(0.5), {.probs = 0.5}),
          RelaxedOneHotCategorical(scalar_tensor(0.5), {.probs = pair}),
          StudentT(3),
          TransformedDistribution(Normal(0, 1), {ExpTransform()}),
          Uniform(0, 1),
          VonMises(0, 1),
          Weibull(1, 1),
          Wishart(3, {.scale_tril = eye(2)})};
}

// Numbers are integers in many constructors: the parameters have the default dtype nevertheless.
TEST(Distribution, ExpandsEveryClass) {
  const Shape batch{4, 3};
  for (const AnyDistribution& d : all_distributions()) {
    EXPECT_EQ(d->batch_shape(), Shape{}) << d->str();
    const AnyDistribution wide = d->expand(batch);
    EXPECT_EQ(wide->batch_shape(), batch) << d->str();
    EXPECT_EQ(wide->event_shape(), d->event_shape()) << d->str();
    EXPECT_STREQ(wide->name(), d->name());
    Shape expected{2, 4, 3};
    for (const std::int64_t n : d->event_shape()) expected.push_back(n);
    manual_seed(3);
    const Tensor x = wide->sample({2});
    EXPECT_EQ(x.shape(), expected) << d->str();
    EXPECT_FALSE(x.requires_grad());
    EXPECT_TRUE(wide->support().check(x).all().item<bool>()) << d->str();
    const Tensor log_prob = wide->log_prob(x);
    EXPECT_EQ(log_prob.shape(), (Shape{2, 4, 3})) << d->str();
    EXPECT_TRUE(allclose(log_prob, d->log_prob(x), 1e-5, 1e-5)) << d->str();
    EXPECT_EQ(d->sample().shape(), d->event_shape()) << d->str();
  }
}

TEST(Distribution, RsampleIsDifferentiable) {
  for (const AnyDistribution& d : all_distributions()) {
    if (d->has_rsample()) continue;
    EXPECT_THROW(d->rsample(), NotImplementedError) << d->str();
  }
  const Tensor loc = zeros({2}, {.requires_grad = true}), scale = ones({2}).requires_grad_();
  manual_seed(1);
  const Tensor x = Normal(loc, scale).rsample();
  x.sum().backward();
  EXPECT_TRUE(equal(loc.grad(), ones({2})));
  EXPECT_TRUE(allclose(scale.grad(), x));
}

TEST(Distribution, EnumeratesDiscreteSupports) {
  EXPECT_EQ(Bernoulli(full({3}, 0.5)).enumerate_support().shape(), (Shape{2, 3}));
  EXPECT_EQ(Bernoulli(full({3}, 0.5)).enumerate_support(false).shape(), (Shape{2, 1}));
  EXPECT_TRUE(equal(Categorical(ones({3})).enumerate_support(), arange(3)));
  EXPECT_TRUE(equal(OneHotCategorical(ones({3})).enumerate_support(), eye(3)));
  EXPECT_EQ(Binomial(3, 0.5).enumerate_support().shape(), Shape{4});
}

TEST(Distribution, LogProbabilitiesSumToOne) {
  for (const AnyDistribution& d :
       {AnyDistribution(Bernoulli(0.3)), AnyDistribution(Binomial(5, 0.3)),
        AnyDistribution(Categorical(tensor({1.0, 2.0, 5.0})))}) {
    const Tensor log_prob = d->log_prob(d->enumerate_support());
    EXPECT_NEAR(log_prob.exp().sum().item<double>(), 1, 1e-6) << d->str();
    EXPECT_NEAR(d->entropy().item<double>(), -(log_prob.exp() * log_prob).sum().item<double>(),
                1e-5);
    EXPECT_NEAR(d->perplexity().item<double>(), std::exp(d->entropy().item<double>()), 1e-5);
  }
}

TEST(LKJCholesky, MatchesPyTorch) {
  manual_seed(0);
  const LKJCholesky d(3, tensor({0.5, 2.0}));
  const Tensor x = d.sample();
  const Tensor expected =
      tensor({{{1.0, 0.0, 0.0}, {-0.2073, 0.9783, 0.0}, {-0.1176, 0.8657, 0.4865}},
              {{1.0, 0.0, 0.0}, {0.5209, 0.8536, 0.0}, {0.3424, -0.2798, 0.8969}}});
  EXPECT_TRUE(allclose(x, expected, 0, 1e-4)) << x.str();  // four printed digits
}

TEST(MixtureSameFamily, RejectsDifferentNumbersOfComponents) {
  EXPECT_THROW(MixtureSameFamily(Categorical(ones({3})), Normal(zeros({2}), 1)), ValueError);
}

}  // namespace
