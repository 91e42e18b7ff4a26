#include "taper/distributions/transformed_distribution.h"

#include <algorithm>

#include "distributions/shapes.h"
#include "taper/distributions/independent.h"

namespace taper::distributions {

TransformedDistribution::TransformedDistribution(const AnyDistribution& base,
                                                 std::vector<AnyTransform> transforms,
                                                 Validate validate_args)
    : TransformedDistribution({"TransformedDistribution", base->has_rsample()}, base,
                              std::move(transforms), validate_args) {}

TransformedDistribution::TransformedDistribution(const DistributionInfo& info,
                                                 const AnyDistribution& base,
                                                 std::vector<AnyTransform> transforms,
                                                 Validate validate_args)
    : DistributionOf(info, validate_args), base_(base), transforms_(std::move(transforms)) {
  const Shape base_shape = concat({base->batch_shape(), base->event_shape()});
  const ComposeTransform transform(transforms_);
  const std::int64_t domain_dim = transform.domain().event_dim();
  const auto base_event_dim = rank_of(base->event_shape());
  if (rank_of(base_shape) < domain_dim)
    fail<ValueError>("base_distribution needs to have shape with size at least {}, but got {}.",
                     domain_dim, base_shape);
  const Shape full = transform.inverse_shape(transform.forward_shape(base_shape));
  if (full != base_shape) base_ = base_->expand(without_last(full, base_event_dim));
  if (domain_dim > base_event_dim) base_ = Independent(base_, domain_dim - base_event_dim);
  set_transformed_shapes();
}

void TransformedDistribution::set_transformed_shapes() {
  const ComposeTransform transform(transforms_);
  const Shape shape = transform.forward_shape(concat({base_->batch_shape(), base_->event_shape()}));
  const std::int64_t out = transform.codomain().event_dim();
  const std::int64_t event_dim =
      std::max(out, rank_of(base_->event_shape()) + out - transform.domain().event_dim());
  set_shapes(without_last(shape, event_dim), last(shape, event_dim));
  if (transforms_.empty()) return set_support(base_->support());
  const Constraint support = transforms_.back()->codomain();
  const std::int64_t more = rank_of(event_shape()) - support.event_dim();
  set_support(more > 0 ? constraints::independent(support, more) : support);
}

void TransformedDistribution::expand_to(const Shape& batch_shape) {
  Distribution::expand_to(batch_shape);
  const ComposeTransform transform(transforms_);
  const Shape full = transform.inverse_shape(concat({batch_shape, event_shape()}));
  base_ = base_->expand(without_last(full, rank_of(base_->event_shape())));
  set_transformed_shapes();
}

Tensor TransformedDistribution::draw(const Shape& sample_shape, const Generator& generator) const {
  Tensor x = base_->has_rsample() ? base_->rsample(sample_shape, generator)
                                  : base_->sample(sample_shape, generator);
  for (const AnyTransform& t : transforms_) x = t(x);
  return x;
}

Tensor TransformedDistribution::compute_log_prob(const Tensor& value) const {
  Tensor y = value, result;
  auto event_dim = rank_of(event_shape());
  for (auto t = transforms_.rbegin(); t != transforms_.rend(); ++t) {
    const Tensor x = (*t)->inverse(y);
    const std::int64_t in = (*t)->domain().event_dim();
    event_dim += in - (*t)->codomain().event_dim();
    const Tensor term = sum_rightmost((*t)->log_abs_det_jacobian(x, y), event_dim - in);
    result = result.defined() ? result - term : -term;
    y = x;
  }
  const Tensor base = sum_rightmost(base_->log_prob(y), event_dim - rank_of(base_->event_shape()));
  return result.defined() ? result + base : base;
}

/// Reflects probabilities if the transforms are decreasing.
Tensor TransformedDistribution::monotonize(const Tensor& probability) const {
  const TensorOrNumber sign = ComposeTransform(transforms_).sign();
  if (sign.is_tensor()) return sign.tensor() * (probability - 0.5) + 0.5;
  if (sign.number().to_int() == 1) return probability;
  return sign.number() * (probability - 0.5) + 0.5;
}
Tensor TransformedDistribution::compute_cdf(const Tensor& value) const {
  Tensor x = value;
  for (auto t = transforms_.rbegin(); t != transforms_.rend(); ++t) x = (*t)->inverse(x);
  return monotonize(base_->cdf(x));
}
Tensor TransformedDistribution::compute_icdf(const Tensor& value) const {
  Tensor x = base_->icdf(monotonize(value));
  for (const AnyTransform& t : transforms_) x = t(x);
  return x;
}

}  // namespace taper::distributions
