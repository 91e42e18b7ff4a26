#include "taper/distributions/independent.h"

#include "distributions/shapes.h"

namespace taper::distributions {

Independent::Independent(const AnyDistribution& base, IntArg ndims, Validate validate_args)
    : DistributionOf({"Independent"}, validate_args), base_(base), ndims_(ndims) {
  const Shape& batch = base->batch_shape();
  if (ndims_ > rank_of(batch))
    fail<ValueError>(
        "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual {} vs {}",
        ndims_, batch.size());
  if (ndims_ < 0)
    fail<ValueError>("Independent: reinterpreted_batch_ndims must be non-negative: got {}", ndims_);
  set_info({"Independent", base->has_rsample(), ndims_ == 0 && base->has_enumerate_support()});
  set_shapes(without_last(batch, ndims_), concat({last(batch, ndims_), base->event_shape()}));
  const Constraint support = base->support();
  set_support(ndims_ ? constraints::independent(support, ndims_) : support);
}
Tensor Independent::mean() const { return base_->mean(); }
Tensor Independent::mode() const { return base_->mode(); }
Tensor Independent::variance() const { return base_->variance(); }
Tensor Independent::entropy() const { return sum_rightmost(base_->entropy(), ndims_); }
Tensor Independent::enumerate_support(bool expand) const {
  if (ndims_ > 0)
    fail<NotImplementedError>(
        "Enumeration over cartesian product is not implemented: {} has reinterpreted dimensions",
        str());
  return base_->enumerate_support(expand);
}
Tensor Independent::draw(const Shape& sample_shape, const Generator& generator) const {
  return base_->has_rsample() ? base_->rsample(sample_shape, generator)
                              : base_->sample(sample_shape, generator);
}
Tensor Independent::compute_log_prob(const Tensor& value) const {
  return sum_rightmost(base_->log_prob(value), ndims_);
}
void Independent::expand_to(const Shape& batch_shape) {
  base_ = base_->expand(concat({batch_shape, last(base_->batch_shape(), ndims_)}));
  set_shapes(batch_shape, event_shape());
}
std::string Independent::str() const {
  return "Independent(" + base_->str() + ", " + std::to_string(ndims_) + ")";
}

}  // namespace taper::distributions
