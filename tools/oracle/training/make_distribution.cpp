#include <functional>
#include <set>

#include "cases/outcome.h"
#include "training/distributions.h"

namespace taper::oracle {
namespace {

namespace D = distributions;

/// Parameters by name. All of them must be read.
class DistributionArguments {
 public:
  DistributionArguments(const Parameters& parameters, std::int64_t total_count, bool validate)
      : total_count(total_count), validate(validate), parameters_(parameters) {}
  const Tensor& at(const std::string& name) {
    const Tensor* t = find(name);
    if (!t) throw MalformedCase("missing parameter " + name);
    return *t;
  }
  const Tensor* find(const std::string& name) {
    known_.insert(name);
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  }
  D::ProbsOrLogits probs_or_logits() {
    D::ProbsOrLogits p;
    if (const Tensor* t = find("probs")) p.probs = *t;
    if (const Tensor* t = find("logits")) p.logits = *t;
    return p;
  }
  D::CovarianceOptions covariance() {
    D::CovarianceOptions o;
    if (const Tensor* t = find("covariance_matrix")) o.covariance_matrix = *t;
    if (const Tensor* t = find("precision_matrix")) o.precision_matrix = *t;
    if (const Tensor* t = find("scale_tril")) o.scale_tril = *t;
    return o;
  }
  void done() const {
    for (const auto& [name, value] : parameters_)
      if (!known_.count(name)) throw MalformedCase("unknown parameter " + name);
  }

  const std::int64_t total_count;
  const bool validate;

 private:
  const Parameters& parameters_;
  std::set<std::string> known_;
};

using Make = std::function<D::AnyDistribution(DistributionArguments&)>;

template <class T> Make from(const char* a) {
  return [a](DistributionArguments& x) { return T(x.at(a), x.validate); };
}
template <class T> Make from(const char* a, const char* b) {
  return [a, b](DistributionArguments& x) { return T(x.at(a), x.at(b), x.validate); };
}
template <class T> Make from(const char* a, const char* b, const char* c) {
  return [a, b, c](DistributionArguments& x) { return T(x.at(a), x.at(b), x.at(c), x.validate); };
}
template <class T> Make from_probs() {
  return [](DistributionArguments& x) { return T(x.probs_or_logits(), x.validate); };
}
template <class T> Make from_count() {
  return [](DistributionArguments& x) { return T(x.total_count, x.probs_or_logits(), x.validate); };
}
template <class T> Make from_temperature() {
  return [](DistributionArguments& x) {
    return T(x.at("temperature"), x.probs_or_logits(), x.validate);
  };
}

const std::map<std::string, Make>& table() {
  static const std::map<std::string, Make> all = {
      {"Normal", from<D::Normal>("loc", "scale")},
      {"LogNormal", from<D::LogNormal>("loc", "scale")},
      {"LogisticNormal", from<D::LogisticNormal>("loc", "scale")},
      {"Laplace", from<D::Laplace>("loc", "scale")},
      {"Cauchy", from<D::Cauchy>("loc", "scale")},
      {"Gumbel", from<D::Gumbel>("loc", "scale")},
      {"HalfNormal", from<D::HalfNormal>("scale")},
      {"HalfCauchy", from<D::HalfCauchy>("scale")},
      {"Uniform", from<D::Uniform>("low", "high")},
      {"VonMises", from<D::VonMises>("loc", "concentration")},
      {"Gamma", from<D::Gamma>("concentration", "rate")},
      {"InverseGamma", from<D::InverseGamma>("concentration", "rate")},
      {"Exponential", from<D::Exponential>("rate")},
      {"Chi2", from<D::Chi2>("df")},
      {"FisherSnedecor", from<D::FisherSnedecor>("df1", "df2")},
      {"StudentT",
       [](DistributionArguments& x) -> D::AnyDistribution {
         const Tensor *loc = x.find("loc"), *scale = x.find("scale");
         if (loc && scale) return D::StudentT(x.at("df"), *loc, *scale, x.validate);
         return D::StudentT(x.at("df"), 0.0, 1.0, x.validate);
       }},
      {"Beta", from<D::Beta>("concentration1", "concentration0")},
      {"Kumaraswamy", from<D::Kumaraswamy>("concentration1", "concentration0")},
      {"Dirichlet", from<D::Dirichlet>("concentration")},
      {"Pareto", from<D::Pareto>("scale", "alpha")},
      {"Weibull", from<D::Weibull>("scale", "concentration")},
      {"GeneralizedPareto", from<D::GeneralizedPareto>("loc", "scale", "concentration")},
      {"Bernoulli", from_probs<D::Bernoulli>()},
      {"Geometric", from_probs<D::Geometric>()},
      {"ContinuousBernoulli",
       [](DistributionArguments& x) {
         return D::ContinuousBernoulli(x.probs_or_logits(), {0.499, 0.501}, x.validate);
       }},
      {"Binomial", from_count<D::Binomial>()},
      {"NegativeBinomial", from_count<D::NegativeBinomial>()},
      {"Multinomial", from_count<D::Multinomial>()},
      {"Poisson", from<D::Poisson>("rate")},
      {"Categorical", from_probs<D::Categorical>()},
      {"OneHotCategorical", from_probs<D::OneHotCategorical>()},
      {"OneHotCategoricalStraightThrough", from_probs<D::OneHotCategoricalStraightThrough>()},
      {"RelaxedBernoulli", from_temperature<D::RelaxedBernoulli>()},
      {"RelaxedOneHotCategorical", from_temperature<D::RelaxedOneHotCategorical>()},
      {"MultivariateNormal",
       [](DistributionArguments& x) {
         return D::MultivariateNormal(x.at("loc"), x.covariance(), x.validate);
       }},
      {"LowRankMultivariateNormal",
       from<D::LowRankMultivariateNormal>("loc", "cov_factor", "cov_diag")},
      {"Wishart",
       [](DistributionArguments& x) { return D::Wishart(x.at("df"), x.covariance(), x.validate); }},
  };
  return all;
}

}  // namespace

distributions::AnyDistribution make_distribution(const std::string& name,
                                                 const Parameters& parameters,
                                                 std::int64_t total_count, bool validate_args) {
  const auto found = table().find(name);
  if (found == table().end()) throw Unsupported("distribution " + name);
  DistributionArguments arguments(parameters, total_count, validate_args);
  const auto distribution = found->second(arguments);
  arguments.done();
  return distribution;
}

}  // namespace taper::oracle
