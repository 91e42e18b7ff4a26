#include "taper/distributions/relaxed.h"

#include "distributions/probs_or_logits.h"

namespace taper::distributions {
namespace {

/// Returns the logits of uniform random numbers.
Tensor logistic_noise(const Shape& shape, const Tensor& like, const Generator& generator) {
  const Tensor u = clamp_probs(standard_uniform(shape, like, generator));
  return u.log() - (-u).log1p();
}

}  // namespace

LogitRelaxedBernoulli::LogitRelaxedBernoulli(const Tensor& temperature, const ProbsOrLogits& given,
                                             Validate validate_args)
    : DistributionOf({"LogitRelaxedBernoulli", true}, validate_args),
      temperature_(temperature),
      has_probs_(has_probs(given)) {
  set_parameters({{probs_or_logits(given), value_of(given), binary_constraint(given)}});
  set_alternative(other_name(given), other_constraint(given), has_probs_ ? 1 : 0);
  set_support(constraints::real);
  validate();
}
Tensor LogitRelaxedBernoulli::probs() const { return probs_of(parameter(0), has_probs_, true); }
Tensor LogitRelaxedBernoulli::logits() const { return logits_of(parameter(0), has_probs_, true); }
Tensor LogitRelaxedBernoulli::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor p = clamp_probs(probs());
  const Tensor noise = logistic_noise(extended_shape(sample_shape), p, generator);
  return (noise + p.log() - (-p).log1p()) / temperature_;
}
Tensor LogitRelaxedBernoulli::compute_log_prob(const Tensor& value) const {
  const Tensor diff = logits() - value * temperature_;
  return temperature_.log() + diff - 2 * diff.exp().log1p();
}

namespace {
const LogitRelaxedBernoulli& logit_base(const Distribution& base) {
  return dynamic_cast<const LogitRelaxedBernoulli&>(base);
}
}  // namespace

RelaxedBernoulli::RelaxedBernoulli(const Tensor& temperature, const ProbsOrLogits& given,
                                   Validate validate_args)
    : DistributionOf({"RelaxedBernoulli", true},
                     LogitRelaxedBernoulli(temperature, given, validate_args), {SigmoidTransform()},
                     validate_args) {}
Tensor RelaxedBernoulli::temperature() const { return logit_base(base_dist()).temperature(); }
Tensor RelaxedBernoulli::probs() const { return logit_base(base_dist()).probs(); }
Tensor RelaxedBernoulli::logits() const { return logit_base(base_dist()).logits(); }
std::vector<DistributionParameter> RelaxedBernoulli::parameters() const {
  return base_dist().parameters();
}

ExpRelaxedCategorical::ExpRelaxedCategorical(const Tensor& temperature, const ProbsOrLogits& given,
                                             Validate validate_args)
    : DistributionOf({"ExpRelaxedCategorical", true}, validate_args),
      temperature_(temperature),
      categorical_(given, validate_args) {
  set_shapes(categorical_.batch_shape(), {categorical_.num_events()});
  set_alternative(other_name(given), categorical_constraint(!has_probs(given)),
                  has_probs(given) ? 1 : 0);
  // The support is a submanifold of this space.
  set_support(constraints::real_vector);
}
std::vector<DistributionParameter> ExpRelaxedCategorical::parameters() const {
  return categorical_.parameters();
}
Tensor ExpRelaxedCategorical::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor log_p = logits();
  const Tensor u = clamp_probs(standard_uniform(extended_shape(sample_shape), log_p, generator));
  const Tensor scores = (log_p - (-u.log()).log()) / temperature_;
  return scores - scores.logsumexp({-1}, true);
}
Tensor ExpRelaxedCategorical::compute_log_prob(const Tensor& value) const {
  const auto k = static_cast<double>(event_shape()[0]);
  const Tensor score = logits() - value * temperature_;
  return (score - score.logsumexp({-1}, true)).sum({-1}) + std::lgamma(k) +
         (k - 1) * temperature_.log();
}
void ExpRelaxedCategorical::expand_to(const Shape& batch_shape) {
  categorical_ = categorical_.expand(batch_shape);
  set_shapes(batch_shape, event_shape());
}

namespace {
const ExpRelaxedCategorical& log_base(const Distribution& base) {
  return dynamic_cast<const ExpRelaxedCategorical&>(base);
}
}  // namespace

RelaxedOneHotCategorical::RelaxedOneHotCategorical(const Tensor& temperature,
                                                   const ProbsOrLogits& given,
                                                   Validate validate_args)
    : DistributionOf({"RelaxedOneHotCategorical", true},
                     ExpRelaxedCategorical(temperature, given, validate_args), {ExpTransform()},
                     validate_args) {
  set_alternative(other_name(given), categorical_constraint(!has_probs(given)),
                  has_probs(given) ? 1 : 0);
  set_support(constraints::simplex);
}
Tensor RelaxedOneHotCategorical::temperature() const { return log_base(base_dist()).temperature(); }
Tensor RelaxedOneHotCategorical::probs() const { return log_base(base_dist()).probs(); }
Tensor RelaxedOneHotCategorical::logits() const { return log_base(base_dist()).logits(); }
std::vector<DistributionParameter> RelaxedOneHotCategorical::parameters() const {
  return base_dist().parameters();
}

}  // namespace taper::distributions
