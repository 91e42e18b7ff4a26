#include "taper/distributions/counts.h"

#include "distributions/probs_or_logits.h"
#include "ops/pointwise/functions.h"
#include "taper/distributions/gamma.h"
#include "taper/ops/gamma.h"

namespace taper::distributions {

Binomial::Binomial(const TensorOrNumber& total_count, const TensorOrNumber& probs,
                   Validate validate_args)
    : Binomial(total_count, ProbsOrLogits{.probs = probs}, validate_args) {}
Binomial::Binomial(const TensorOrNumber& total_count, const ProbsOrLogits& given,
                   Validate validate_args)
    : DistributionOf({"Binomial", false, true}, validate_args), has_probs_(has_probs(given)) {
  const auto t = broadcast_all({value_of(given), total_count});
  set_parameters({{"total_count", t[1].to(t[0].dtype()), constraints::nonnegative_integer},
                  {probs_or_logits(given), t[0], binary_constraint(given)}});
  set_alternative(other_name(given), other_constraint(given), has_probs_ ? 2 : 1);
  set_support(constraints::integer_interval(0, parameter(0)));
  validate();
}
Tensor Binomial::probs() const { return probs_of(parameter(1), has_probs_, true); }
Tensor Binomial::logits() const { return logits_of(parameter(1), has_probs_, true); }
Tensor Binomial::mean() const { return total_count() * probs(); }
Tensor Binomial::mode() const {
  return ((total_count() + 1) * probs()).floor().clamp_max(total_count());
}
Tensor Binomial::variance() const {
  const Tensor p = probs();
  return total_count() * p * (1 - p);
}
Tensor Binomial::entropy() const {
  const Tensor log_prob = compute_log_prob(enumerate_support(false));
  return -(log_prob.exp() * log_prob).sum({0});
}
Tensor Binomial::enumerate_support(bool expand) const {
  const auto n = total_count().max().item<std::int64_t>();
  if (total_count().min().item<std::int64_t>() != n)
    fail<NotImplementedError>(
        "Binomial: inhomogeneous total count is not supported by enumerate_support: got {} to {}",
        total_count().min().item().str(), n);
  return enumerate_values(arange(1 + n, options_of(parameter(1))), batch_shape(), expand);
}
Tensor Binomial::draw(const Shape& sample_shape, const Generator& generator) const {
  const Shape shape = extended_shape(sample_shape);
  return binomial(total_count().expand(shape), probs().expand(shape), generator);
}
Tensor Binomial::compute_log_prob(const Tensor& value) const {
  const Tensor &n = total_count(), x = logits();
  // max(x, 0) with the gradient 1/2 at 0.
  const Tensor positive = (x.clamp_min(0) + x - x.clamp_max(0)) / 2;
  const Tensor normalizer = n * positive + n * (-x.abs()).exp().log1p() - (n + 1).lgamma();
  return value * x - (value + 1).lgamma() - (n - value + 1).lgamma() - normalizer;
}

NegativeBinomial::NegativeBinomial(const TensorOrNumber& total_count, const TensorOrNumber& probs,
                                   Validate validate_args)
    : NegativeBinomial(total_count, ProbsOrLogits{.probs = probs}, validate_args) {}
NegativeBinomial::NegativeBinomial(const TensorOrNumber& total_count, const ProbsOrLogits& given,
                                   Validate validate_args)
    : DistributionOf({"NegativeBinomial"}, validate_args), has_probs_(has_probs(given)) {
  const auto t = broadcast_all({value_of(given), total_count});
  const Constraint open = constraints::half_open_interval(0.0, 1.0);
  set_parameters(
      {{"total_count", t[1].to(t[0].dtype()), constraints::greater_than_eq(0)},
       {probs_or_logits(given), t[0], has_probs_ ? open : Constraint(constraints::real)}});
  set_alternative(other_name(given), has_probs_ ? Constraint(constraints::real) : open,
                  has_probs_ ? 2 : 1);
  set_support(constraints::nonnegative_integer);
  validate();
}
Tensor NegativeBinomial::probs() const { return probs_of(parameter(1), has_probs_, true); }
Tensor NegativeBinomial::logits() const { return logits_of(parameter(1), has_probs_, true); }
Tensor NegativeBinomial::mean() const { return total_count() * logits().exp(); }
Tensor NegativeBinomial::mode() const {
  return ((total_count() - 1) * logits().exp()).floor().clamp_min(0);
}
Tensor NegativeBinomial::variance() const { return mean() / sigmoid(-logits()); }
Tensor NegativeBinomial::draw(const Shape& sample_shape, const Generator& generator) const {
  const Gamma gamma(total_count(), (-logits()).exp(), false);
  return poisson(gamma.sample(sample_shape, generator), generator);
}
Tensor NegativeBinomial::compute_log_prob(const Tensor& value) const {
  const Tensor &n = total_count(), x = logits();
  const Tensor unnormalized = n * log_sigmoid(-x) + value * log_sigmoid(x);
  const Tensor normalizer = -(n + value).lgamma() + (1 + value).lgamma() + n.lgamma();
  // Of 0 trials only 0 is possible: infinite terms cancel.
  return unnormalized - where(n + value == 0, 0.0, normalizer);
}

Poisson::Poisson(const TensorOrNumber& rate, Validate validate_args)
    : DistributionOf({"Poisson"}, validate_args) {
  set_parameters({{"rate", rate, constraints::nonnegative}});
  set_support(constraints::nonnegative_integer);
  validate();
}
Tensor Poisson::mean() const { return rate(); }
Tensor Poisson::mode() const { return rate().floor(); }
Tensor Poisson::variance() const { return rate(); }
Tensor Poisson::draw(const Shape& sample_shape, const Generator& generator) const {
  return poisson(rate().expand(extended_shape(sample_shape)).contiguous(), generator);
}
Tensor Poisson::compute_log_prob(const Tensor& value) const {
  const Tensor k = value.to(rate().dtype());
  return xlogy(k, rate()) - rate() - (k + 1).lgamma();
}
std::vector<Tensor> Poisson::natural_params() const { return {rate().log()}; }
Tensor Poisson::log_normalizer(const std::vector<Tensor>& p) const { return p[0].exp(); }

}  // namespace taper::distributions
