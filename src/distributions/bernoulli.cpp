#include "taper/distributions/bernoulli.h"

#include "distributions/probs_or_logits.h"
#include "taper/ops/elementwise_loss.h"

namespace taper::distributions {

Bernoulli::Bernoulli(const TensorOrNumber& probs, Validate validate_args)
    : Bernoulli(ProbsOrLogits{.probs = probs}, validate_args) {}
Bernoulli::Bernoulli(const ProbsOrLogits& given, Validate validate_args)
    : DistributionOf({"Bernoulli", false, true}, validate_args), has_probs_(has_probs(given)) {
  set_parameters({{probs_or_logits(given), value_of(given), binary_constraint(given)}});
  set_alternative(other_name(given), other_constraint(given), has_probs_ ? 1 : 0);
  set_support(constraints::boolean);
  validate();
}
Tensor Bernoulli::probs() const { return probs_of(parameter(0), has_probs_, true); }
Tensor Bernoulli::logits() const { return logits_of(parameter(0), has_probs_, true); }
Tensor Bernoulli::mean() const { return probs(); }
Tensor Bernoulli::mode() const {
  const Tensor p = probs();
  return where(p == 0.5, kNaN, (p >= 0.5).to(p.dtype()));
}
Tensor Bernoulli::variance() const {
  const Tensor p = probs();
  return p * (1 - p);
}
Tensor Bernoulli::entropy() const {
  return binary_cross_entropy_with_logits(logits(), probs(), {}, {}, Reduction::None);
}
Tensor Bernoulli::enumerate_support(bool expand) const {
  return enumerate_values(arange(2, options_of(parameter(0))), batch_shape(), expand);
}
Tensor Bernoulli::draw(const Shape& sample_shape, const Generator& generator) const {
  return bernoulli(probs().expand(extended_shape(sample_shape)).contiguous(), generator);
}
Tensor Bernoulli::compute_log_prob(const Tensor& value) const {
  const auto t = broadcast_all({logits(), value});
  return -binary_cross_entropy_with_logits(t[0], t[1].to(t[0].dtype()), {}, {}, Reduction::None);
}
std::vector<Tensor> Bernoulli::natural_params() const { return {probs().logit()}; }
Tensor Bernoulli::log_normalizer(const std::vector<Tensor>& p) const {
  return (1 + p[0].exp()).log();
}
Tensor Bernoulli::mean_carrier_measure() const { return zeros_like(parameter(0)); }

ContinuousBernoulli::ContinuousBernoulli(const TensorOrNumber& probs, Validate validate_args)
    : ContinuousBernoulli(ProbsOrLogits{.probs = probs}, {0.499, 0.501}, validate_args) {}
ContinuousBernoulli::ContinuousBernoulli(const ProbsOrLogits& given, std::pair<double, double> lims,
                                         Validate validate_args)
    : DistributionOf({"ContinuousBernoulli", true}, validate_args),
      has_probs_(has_probs(given)),
      lims_(lims) {
  set_parameters({{probs_or_logits(given), value_of(given), binary_constraint(given)}});
  set_alternative(other_name(given), other_constraint(given), has_probs_ ? 1 : 0);
  set_support(constraints::unit_interval);
  validate();
}
Tensor ContinuousBernoulli::probs() const {
  return clamp_probs(probs_of(parameter(0), has_probs_, true));
}
Tensor ContinuousBernoulli::logits() const { return logits_of(parameter(0), has_probs_, true); }
/// Returns where the closed forms do not cancel.
Tensor ContinuousBernoulli::is_stable() const {
  const Tensor p = probs();
  return (p <= lims_.first).logical_or(p > lims_.second);
}
/// Returns the probabilities, replaced by a limit where the closed forms cancel.
Tensor ContinuousBernoulli::cut_probs() const { return where(is_stable(), probs(), lims_.first); }
Tensor ContinuousBernoulli::log_norm() const {
  const Tensor cut = cut_probs(), is_low = cut <= 0.5;
  const Tensor low = where(is_low, cut, 0.0), high = where(cut >= 0.5, cut, 1.0);
  const Tensor closed = ((-cut).log1p() - cut.log()).abs().log() -
                        where(is_low, (-2 * low).log1p(), (2 * high - 1).log());
  const Tensor x = (probs() - 0.5).square();
  const Tensor taylor = std::numbers::ln2 + (4.0 / 3 + 104.0 / 45 * x) * x;
  return where(is_stable(), closed, taylor);
}
Tensor ContinuousBernoulli::mean() const {
  const Tensor cut = cut_probs(), x = probs() - 0.5;
  const Tensor closed = cut / (2 * cut - 1) + 1 / ((-cut).log1p() - cut.log());
  return where(is_stable(), closed, 0.5 + (1.0 / 3 + 16.0 / 45 * x.square()) * x);
}
Tensor ContinuousBernoulli::variance() const {
  const Tensor cut = cut_probs(), x = (probs() - 0.5).square();
  const Tensor closed =
      cut * (cut - 1) / (1 - 2 * cut).square() + 1 / ((-cut).log1p() - cut.log()).square();
  return where(is_stable(), closed, 1.0 / 12 - (1.0 / 15 - 128.0 / 945 * x) * x);
}
Tensor ContinuousBernoulli::stddev() const { return variance().sqrt(); }
Tensor ContinuousBernoulli::entropy() const {
  const Tensor p = probs(), log0 = (-p).log1p(), log1 = p.log();
  return mean() * (log0 - log1) - log_norm() - log0;
}
Tensor ContinuousBernoulli::draw(const Shape& sample_shape, const Generator& generator) const {
  return icdf(standard_uniform(extended_shape(sample_shape), parameter(0), generator));
}
Tensor ContinuousBernoulli::compute_log_prob(const Tensor& value) const {
  const auto t = broadcast_all({logits(), value});
  return -binary_cross_entropy_with_logits(t[0], t[1].to(t[0].dtype()), {}, {}, Reduction::None) +
         log_norm();
}
Tensor ContinuousBernoulli::compute_cdf(const Tensor& value) const {
  const Tensor cut = cut_probs();
  const Tensor closed = (cut.pow(value) * (1 - cut).pow(1 - value) + cut - 1) / (2 * cut - 1);
  const Tensor inner = where(is_stable(), closed, value);
  return where(value <= 0, 0.0, where(value >= 1, 1.0, inner));
}
Tensor ContinuousBernoulli::compute_icdf(const Tensor& value) const {
  const Tensor cut = cut_probs(), base = (-cut).log1p();
  const Tensor closed = ((-cut + value * (2 * cut - 1)).log1p() - base) / (cut.log() - base);
  return where(is_stable(), closed, value);
}
std::vector<Tensor> ContinuousBernoulli::natural_params() const { return {logits()}; }
Tensor ContinuousBernoulli::log_normalizer(const std::vector<Tensor>& p) const {
  const Tensor& x = p[0];
  const double low = lims_.first - 0.5, high = lims_.second - 0.5;
  const Tensor stable = (x <= low).logical_or(x > high), cut = where(stable, x, low);
  const Tensor closed = (cut.exp() - 1).abs().log() - cut.abs().log();
  return where(stable, closed, 0.5 * x + x.pow(2) / 24 - x.pow(4) / 2880);
}
Tensor ContinuousBernoulli::mean_carrier_measure() const { return zeros_like(parameter(0)); }

Geometric::Geometric(const TensorOrNumber& probs, Validate validate_args)
    : Geometric(ProbsOrLogits{.probs = probs}, validate_args) {}
Geometric::Geometric(const ProbsOrLogits& given, Validate validate_args)
    : DistributionOf({"Geometric"}, validate_args), has_probs_(has_probs(given)) {
  set_parameters({{probs_or_logits(given), value_of(given), binary_constraint(given)}});
  set_alternative(other_name(given), other_constraint(given), has_probs_ ? 1 : 0);
  set_support(constraints::nonnegative_integer);
  validate();
  const NoGrad guard;
  if (validates_args() && has_probs_ && !(parameter(0) > 0).all().item<bool>())
    fail<ValueError>(
        "Expected parameter probs of distribution {} to be positive but found invalid values:\n{}",
        str(), TensorOrNumber(parameter(0)).str());
}
Tensor Geometric::probs() const { return probs_of(parameter(0), has_probs_, true); }
Tensor Geometric::logits() const { return logits_of(parameter(0), has_probs_, true); }
Tensor Geometric::mean() const { return 1 / probs() - 1; }
Tensor Geometric::mode() const { return zeros_like(parameter(0)); }
Tensor Geometric::variance() const {
  const Tensor p = probs();
  return (1 / p - 1) / p;
}
Tensor Geometric::entropy() const {
  const Tensor p = probs();
  return binary_cross_entropy_with_logits(logits(), p, {}, {}, Reduction::None) / p;
}
Tensor Geometric::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor p = probs(), u = empty(extended_shape(sample_shape), options_of(p));
  u.uniform_(finfo(p.dtype()).tiny, 1, generator);
  return (u.log() / (-p).log1p()).floor();
}
Tensor Geometric::compute_log_prob(const Tensor& value) const {
  const Tensor p = probs();
  // A certain success at once: 0 * log(0) is 0.
  const Tensor failing = where((p == 1).logical_and(value == 0), 0.0, p);
  return value * (-failing).log1p() + p.log();
}

}  // namespace taper::distributions
