#include "taper/distributions/location_scale.h"

#include "distributions/shapes.h"

namespace taper::distributions {
Laplace::Laplace(const TensorOrNumber& loc, const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf({"Laplace", true}, validate_args) {
  set_parameters({{"loc", loc, constraints::real}, {"scale", scale, constraints::positive}});
  set_support(constraints::real);
  validate();
}
Tensor Laplace::mean() const { return loc(); }
Tensor Laplace::mode() const { return loc(); }
Tensor Laplace::stddev() const { return std::sqrt(2.0) * scale(); }
Tensor Laplace::variance() const { return 2 * scale().square(); }
Tensor Laplace::entropy() const { return 1 + (2 * scale()).log(); }
Tensor Laplace::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor u = empty(extended_shape(sample_shape), options_of(loc()));
  u.uniform_(finfo(u.dtype()).eps - 1, 1, generator);
  return loc() - scale() * u.sign() * (-u.abs()).log1p();
}
Tensor Laplace::compute_log_prob(const Tensor& value) const {
  return -(2 * scale()).log() - (value - loc()).abs() / scale();
}
Tensor Laplace::compute_cdf(const Tensor& value) const {
  const Tensor d = value - loc();
  return 0.5 - 0.5 * d.sign() * (-d.abs() / scale()).expm1();
}
Tensor Laplace::compute_icdf(const Tensor& value) const {
  const Tensor term = value - 0.5;
  return loc() - scale() * term.sign() * (-2 * term.abs()).log1p();
}

Cauchy::Cauchy(const TensorOrNumber& loc, const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf({"Cauchy", true}, validate_args) {
  set_parameters({{"loc", loc, constraints::real}, {"scale", scale, constraints::positive}});
  set_support(constraints::real);
  validate();
}
Tensor Cauchy::mean() const { return full_as(loc(), batch_shape(), kNaN); }
Tensor Cauchy::mode() const { return loc(); }
Tensor Cauchy::variance() const { return full_as(loc(), batch_shape(), kInfinity); }
Tensor Cauchy::entropy() const { return std::log(4 * kPi) + scale().log(); }
Tensor Cauchy::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor eps = empty(extended_shape(sample_shape), options_of(loc()));
  eps.cauchy_(0, 1, generator);
  return loc() + eps * scale();
}
Tensor Cauchy::compute_log_prob(const Tensor& value) const {
  return -std::log(kPi) - scale().log() - ((value - loc()) / scale()).square().log1p();
}
Tensor Cauchy::compute_cdf(const Tensor& value) const {
  return ((value - loc()) / scale()).atan() / kPi + 0.5;
}
Tensor Cauchy::compute_icdf(const Tensor& value) const {
  return (kPi * (value - 0.5)).tan() * scale() + loc();
}

HalfCauchy::HalfCauchy(const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf({"HalfCauchy", true}, Cauchy(0, scale, false), {AbsTransform()},
                     validate_args) {
  set_support(constraints::nonnegative);
  validate();
}
Tensor HalfCauchy::scale() const { return dynamic_cast<const Cauchy&>(base_dist()).scale(); }
std::vector<DistributionParameter> HalfCauchy::parameters() const {
  return {{"scale", scale(), constraints::positive}};
}
Tensor HalfCauchy::mean() const { return full_as(scale(), batch_shape(), kInfinity); }
Tensor HalfCauchy::mode() const { return zeros_like(scale()); }
Tensor HalfCauchy::variance() const { return base_dist().variance(); }
Tensor HalfCauchy::entropy() const { return base_dist().entropy() - std::numbers::ln2; }
Tensor HalfCauchy::compute_log_prob(const Tensor& value) const {
  return where(value >= 0, base_dist().log_prob(value) + std::numbers::ln2, -kInfinity);
}
Tensor HalfCauchy::compute_cdf(const Tensor& value) const { return 2 * base_dist().cdf(value) - 1; }
Tensor HalfCauchy::compute_icdf(const Tensor& value) const {
  return base_dist().icdf((value + 1) / 2);
}

namespace {
/// Returns the uniform distribution on (0, 1), whose samples have finite logarithms.
Uniform open_unit_interval(const Tensor& like) {
  const finfo limits(like.dtype());
  return Uniform(full_like(like, limits.tiny), full_like(like, 1 - limits.eps), false);
}
std::vector<AnyTransform> gumbel_transforms(const Tensor& loc, const Tensor& scale) {
  const AnyTransform log = ExpTransform().inv();
  return {log, AffineTransform(0, -1), log, AffineTransform(loc, -scale)};
}
}  // namespace

Gumbel::Gumbel(const TensorOrNumber& loc, const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf(
          {"Gumbel", true}, open_unit_interval(broadcast_all({loc, scale})[0]),
          gumbel_transforms(broadcast_all({loc, scale})[0], broadcast_all({loc, scale})[1]),
          validate_args) {
  set_parameters({{"loc", loc, constraints::real}, {"scale", scale, constraints::positive}});
  set_support(constraints::real);
  validate();
}
Tensor Gumbel::mean() const { return loc() + scale() * kEulerGamma; }
Tensor Gumbel::mode() const { return loc(); }
Tensor Gumbel::stddev() const { return kPi / std::sqrt(6.0) * scale(); }
Tensor Gumbel::variance() const { return stddev().square(); }
Tensor Gumbel::entropy() const { return scale().log() + (1 + kEulerGamma); }
Tensor Gumbel::compute_log_prob(const Tensor& value) const {
  const Tensor y = (loc() - value) / scale();
  return y - y.exp() - scale().log();
}

Uniform::Uniform(const TensorOrNumber& low, const TensorOrNumber& high, Validate validate_args)
    : DistributionOf({"Uniform", true}, validate_args) {
  set_parameters({{"low", low, constraints::real}, {"high", high, constraints::real}});
  set_parameter_constraint(0, constraints::less_than(this->high()));
  set_parameter_constraint(1, constraints::greater_than(this->low()));
  set_support(constraints::interval(this->low(), this->high()));
  validate();
}
Tensor Uniform::mean() const { return (high() + low()) / 2; }
Tensor Uniform::mode() const { return kNaN * high(); }
Tensor Uniform::stddev() const { return (high() - low()) / std::sqrt(12.0); }
Tensor Uniform::variance() const { return (high() - low()).square() / 12; }
Tensor Uniform::entropy() const { return (high() - low()).log(); }
Tensor Uniform::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor u = standard_uniform(extended_shape(sample_shape), low(), generator);
  return low() + u * (high() - low());
}
Tensor Uniform::compute_log_prob(const Tensor& value) const {
  const Tensor inside = (low() <= value).logical_and(high() > value).to(low().dtype());
  return inside.log() - (high() - low()).log();
}
Tensor Uniform::compute_cdf(const Tensor& value) const {
  return ((value - low()) / (high() - low())).clamp(0, 1);
}
Tensor Uniform::compute_icdf(const Tensor& value) const { return value * (high() - low()) + low(); }

}  // namespace taper::distributions
