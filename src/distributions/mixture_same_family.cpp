#include "taper/distributions/mixture_same_family.h"

#include "distributions/shapes.h"

namespace taper::distributions {

MixtureSameFamily::MixtureSameFamily(const Categorical& mixture, const AnyDistribution& component,
                                     Validate validate_args)
    : DistributionOf({"MixtureSameFamily"}, validate_args),
      mixture_(mixture),
      component_(component) {
  const Shape &weights = mixture.batch_shape(), &parts = component->batch_shape();
  if (parts.empty())
    fail<ValueError>("MixtureSameFamily: the component distribution must have a batch dimension");
  if (parts.back() != mixture.num_events())
    fail<ValueError>(
        "`mixture_distribution component` ({}) does not equal "
        "`component_distribution.batch_shape[-1]` ({})",
        mixture.num_events(), parts.back());
  const Shape batch = without_last(parts, 1);
  for (std::int64_t i = 1; i <= std::min(rank_of(weights), rank_of(batch)); ++i)
    if (const std::int64_t a = last(weights, i)[0], b = last(batch, i)[0];
        a != 1 && b != 1 && a != b)
      fail<ValueError>(
          "`mixture_distribution.batch_shape` ({}) is not compatible with "
          "`component_distribution.batch_shape`({})",
          weights, batch);
  set_shapes(batch, component->event_shape());
  set_support(constraints::MixtureSameFamilyConstraint(component->support()));
}

/// Inserts the dimension of the components.
Tensor MixtureSameFamily::pad(const Tensor& x) const {
  return x.unsqueeze(-1 - rank_of(event_shape()));
}
Tensor MixtureSameFamily::padded_probs() const {
  const Tensor p = mixture_.probs();
  return p.reshape(concat({p.shape(), Shape::filled(event_shape().size(), 1)}));
}
Tensor MixtureSameFamily::mean() const {
  return (padded_probs() * component_->mean()).sum({-1 - rank_of(event_shape())});
}
Tensor MixtureSameFamily::variance() const {
  const Dims dim{-1 - rank_of(event_shape())};
  const Tensor p = padded_probs(), within = (p * component_->variance()).sum(dim);
  return within + (p * (component_->mean() - pad(mean())).square()).sum(dim);
}
Tensor MixtureSameFamily::compute_cdf(const Tensor& value) const {
  return (component_->cdf(pad(value)) * mixture_.probs()).sum({-1});
}
Tensor MixtureSameFamily::compute_log_prob(const Tensor& value) const {
  return (component_->log_prob(pad(value)) + mixture_.logits().log_softmax(-1)).logsumexp({-1});
}
Tensor MixtureSameFamily::draw(const Shape& sample_shape, const Generator& generator) const {
  const auto event_dim = rank_of(event_shape());
  const Tensor pick = mixture_.sample(sample_shape, generator);
  const Tensor all = component_->sample(sample_shape, generator);
  const std::int64_t dim = -1 - event_dim;
  const Shape batch = concat({sample_shape, batch_shape()});
  const Tensor index = pick.expand(batch)
                           .reshape(concat({batch, {1}, Shape::filled(event_shape().size(), 1)}))
                           .expand(concat({batch, {1}, event_shape()}));
  return all.gather(dim, index).squeeze({dim});
}
void MixtureSameFamily::expand_to(const Shape& batch_shape) {
  component_ = component_->expand(concat({batch_shape, {mixture_.num_events()}}));
  mixture_ = mixture_.expand(batch_shape);
  set_shapes(batch_shape, event_shape());
}
std::string MixtureSameFamily::str() const {
  return "MixtureSameFamily(\n  " + mixture_.str() + ",\n  " + component_->str() + ")";
}

}  // namespace taper::distributions
