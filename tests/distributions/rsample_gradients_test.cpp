// Gradients of rsample of every class that has it: those of PyTorch, whose implicit gradients of
// gamma and Dirichlet samples were replaced by exact ones.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support/tensors.h"
#include "taper/core/factory.h"
#include "taper/distributions/distributions.h"
#include "taper_paths.h"

namespace {

using namespace taper;
using namespace taper::distributions;
using GradientJson = nlohmann::json;

/// Parameters of a distribution by name.
using Parameters = std::map<std::string, Tensor>;
using Construct = AnyDistribution (*)(Parameters& p);

const std::map<std::string, Construct>& constructors() {
  static const std::map<std::string, Construct> all = {
      {"Beta",
       [](Parameters& p) -> AnyDistribution {
         return Beta(p["concentration1"], p["concentration0"]);
       }},
      {"Cauchy", [](Parameters& p) -> AnyDistribution { return Cauchy(p["loc"], p["scale"]); }},
      {"Chi2", [](Parameters& p) -> AnyDistribution { return Chi2(p["df"]); }},
      {"ContinuousBernoulli",
       [](Parameters& p) -> AnyDistribution { return ContinuousBernoulli(p["probs"]); }},
      {"Dirichlet", [](Parameters& p) -> AnyDistribution { return Dirichlet(p["concentration"]); }},
      {"Exponential", [](Parameters& p) -> AnyDistribution { return Exponential(p["rate"]); }},
      {"FisherSnedecor",
       [](Parameters& p) -> AnyDistribution { return FisherSnedecor(p["df1"], p["df2"]); }},
      {"Gamma",
       [](Parameters& p) -> AnyDistribution { return Gamma(p["concentration"], p["rate"]); }},
      {"GeneralizedPareto",
       [](Parameters& p) -> AnyDistribution {
         return GeneralizedPareto(p["loc"], p["scale"], p["concentration"]);
       }},
      {"Gumbel", [](Parameters& p) -> AnyDistribution { return Gumbel(p["loc"], p["scale"]); }},
      {"HalfCauchy", [](Parameters& p) -> AnyDistribution { return HalfCauchy(p["scale"]); }},
      {"HalfNormal", [](Parameters& p) -> AnyDistribution { return HalfNormal(p["scale"]); }},
      {"Independent",
       [](Parameters& p) -> AnyDistribution {
         return Independent(Normal(p["loc"], p["scale"]), 1);
       }},
      {"InverseGamma",
       [](Parameters& p) -> AnyDistribution {
         return InverseGamma(p["concentration"], p["rate"]);
       }},
      {"Kumaraswamy",
       [](Parameters& p) -> AnyDistribution {
         return Kumaraswamy(p["concentration1"], p["concentration0"]);
       }},
      {"Laplace", [](Parameters& p) -> AnyDistribution { return Laplace(p["loc"], p["scale"]); }},
      {"LogNormal",
       [](Parameters& p) -> AnyDistribution { return LogNormal(p["loc"], p["scale"]); }},
      {"LogisticNormal",
       [](Parameters& p) -> AnyDistribution { return LogisticNormal(p["loc"], p["scale"]); }},
      {"LowRankMultivariateNormal",
       [](Parameters& p) -> AnyDistribution {
         return LowRankMultivariateNormal(p["loc"], p["cov_factor"], p["cov_diag"]);
       }},
      {"MultivariateNormal",
       [](Parameters& p) -> AnyDistribution {
         return MultivariateNormal(p["loc"], {.covariance_matrix = p["covariance_matrix"]});
       }},
      {"MultivariateNormal, precision",
       [](Parameters& p) -> AnyDistribution {
         return MultivariateNormal(p["loc"], {.precision_matrix = p["precision_matrix"]});
       }},
      {"Normal", [](Parameters& p) -> AnyDistribution { return Normal(p["loc"], p["scale"]); }},
      {"OneHotCategoricalStraightThrough",
       [](Parameters& p) -> AnyDistribution {
         return OneHotCategoricalStraightThrough(p["probs"]);
       }},
      {"Pareto", [](Parameters& p) -> AnyDistribution { return Pareto(p["scale"], p["alpha"]); }},
      {"RelaxedBernoulli",
       [](Parameters& p) -> AnyDistribution {
         return RelaxedBernoulli(p["temperature"], {.logits = p["logits"]});
       }},
      {"RelaxedOneHotCategorical",
       [](Parameters& p) -> AnyDistribution {
         return RelaxedOneHotCategorical(p["temperature"], {.logits = p["logits"]});
       }},
      {"StudentT",
       [](Parameters& p) -> AnyDistribution { return StudentT(p["df"], p["loc"], p["scale"]); }},
      {"TransformedDistribution",
       [](Parameters& p) -> AnyDistribution {
         return TransformedDistribution(Normal(p["loc"], p["scale"]), {SigmoidTransform()});
       }},
      {"Uniform", [](Parameters& p) -> AnyDistribution { return Uniform(p["low"], p["high"]); }},
      {"Weibull",
       [](Parameters& p) -> AnyDistribution { return Weibull(p["scale"], p["concentration"]); }},
      {"Wishart",
       [](Parameters& p) -> AnyDistribution {
         return Wishart(p["df"], {.covariance_matrix = p["covariance_matrix"]});
       }},
  };
  return all;
}

/// Returns the tensor of nested lists of numbers.
Tensor tensor_of(const GradientJson& numbers) {
  if (numbers.is_number()) return scalar_tensor(numbers.get<double>(), {.dtype = float64});
  std::vector<Tensor> rows;
  for (const GradientJson& row : numbers) rows.push_back(tensor_of(row));
  return stack(rows);
}

void expect_numbers(const Tensor& actual, const GradientJson& expected, const std::string& what) {
  const auto numbers = expected.get<std::vector<double>>();
  ASSERT_EQ(static_cast<std::size_t>(actual.numel()), numbers.size()) << what;
  const std::vector<double> values = test::to_vector<double>(actual);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    EXPECT_NEAR(values[i], numbers[i], 1e-9 * (1 + std::abs(numbers[i]))) << what << ", " << i;
}

TEST(Distribution, RsampleHasExactGradientsOfAllParameters) {
  std::ifstream file(TAPER_TEST_DATA "/rsample_gradients.json");
  const GradientJson cases = GradientJson::parse(file);
  ASSERT_EQ(cases.size(), constructors().size());
  for (const GradientJson& c : cases) {
    const auto name = c.at("name").get<std::string>();
    Parameters parameters;
    for (const auto& [key, value] : c.at("parameters").items())
      parameters[key] = tensor_of(value).requires_grad_();
    const AnyDistribution distribution = constructors().at(name)(parameters);
    ASSERT_TRUE(distribution->has_rsample()) << name;
    manual_seed(c.at("seed").get<std::uint64_t>());
    const Tensor x = distribution->rsample(c.at("sample_shape").get<std::vector<std::int64_t>>());
    expect_numbers(x.detach(), c.at("samples"), name);
    const Tensor weights = arange(1, x.numel() + 1).reshape(x.shape());
    (x * weights).sum().backward();
    for (const auto& [key, expected] : c.at("gradients").items())
      expect_numbers(parameters.at(key).grad(), expected, name + ", " + key);
  }
}

}  // namespace
