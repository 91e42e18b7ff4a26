#include "taper/distributions/normal.h"

#include "distributions/shapes.h"
#include "taper/distributions/independent.h"

namespace taper::distributions {

Normal::Normal(const TensorOrNumber& loc, const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf({"Normal", true}, validate_args) {
  set_parameters({{"loc", loc, constraints::real}, {"scale", scale, constraints::positive}});
  set_support(constraints::real);
  validate();
}
Tensor Normal::mean() const { return loc(); }
Tensor Normal::mode() const { return loc(); }
Tensor Normal::variance() const { return scale().square(); }
Tensor Normal::stddev() const { return scale(); }
Tensor Normal::entropy() const { return 0.5 + 0.5 * std::log(2 * kPi) + scale().log(); }
Tensor Normal::draw(const Shape& sample_shape, const Generator& generator) const {
  return standard_normal(extended_shape(sample_shape), loc(), generator) * scale() + loc();
}
Tensor Normal::compute_log_prob(const Tensor& value) const {
  return -(value - loc()).square() / (2 * scale().square()) - scale().log() -
         std::log(std::sqrt(2 * kPi));
}
Tensor Normal::compute_cdf(const Tensor& value) const {
  return 0.5 * (1 + ((value - loc()) * scale().reciprocal() / std::sqrt(2.0)).erf());
}
Tensor Normal::compute_icdf(const Tensor& value) const {
  return loc() + scale() * (2 * value - 1).erfinv() * std::sqrt(2.0);
}
std::vector<Tensor> Normal::natural_params() const {
  return {loc() / scale().square(), -0.5 * scale().square().reciprocal()};
}
Tensor Normal::log_normalizer(const std::vector<Tensor>& p) const {
  return -0.25 * p[0].square() / p[1] + 0.5 * (-kPi / p[1]).log();
}
Tensor Normal::mean_carrier_measure() const { return zeros_like(loc()); }

namespace {
std::vector<DistributionParameter> location_and_scale(const Tensor& loc, const Tensor& scale) {
  return {{"loc", loc, constraints::real}, {"scale", scale, constraints::positive}};
}
const Normal& normal_of(const Distribution& base) { return dynamic_cast<const Normal&>(base); }
}  // namespace

LogNormal::LogNormal(const TensorOrNumber& loc, const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf({"LogNormal", true}, Normal(loc, scale, validate_args), {ExpTransform()},
                     validate_args) {
  validate();
}
Tensor LogNormal::loc() const { return normal_of(base_dist()).loc(); }
Tensor LogNormal::scale() const { return normal_of(base_dist()).scale(); }
std::vector<DistributionParameter> LogNormal::parameters() const {
  return location_and_scale(loc(), scale());
}
Tensor LogNormal::mean() const { return (loc() + scale().square() / 2).exp(); }
Tensor LogNormal::mode() const { return (loc() - scale().square()).exp(); }
Tensor LogNormal::variance() const {
  const Tensor square = scale().square();
  return square.expm1() * (2 * loc() + square).exp();
}
Tensor LogNormal::entropy() const { return base_dist().entropy() + loc(); }

HalfNormal::HalfNormal(const TensorOrNumber& scale, Validate validate_args)
    : DistributionOf({"HalfNormal", true}, Normal(0, scale, false), {AbsTransform()},
                     validate_args) {
  set_support(constraints::nonnegative);
  validate();
}
Tensor HalfNormal::scale() const { return normal_of(base_dist()).scale(); }
std::vector<DistributionParameter> HalfNormal::parameters() const {
  return {{"scale", scale(), constraints::positive}};
}
Tensor HalfNormal::mean() const { return scale() * std::sqrt(2 / kPi); }
Tensor HalfNormal::mode() const { return zeros_like(scale()); }
Tensor HalfNormal::variance() const { return scale().square() * (1 - 2 / kPi); }
Tensor HalfNormal::entropy() const { return base_dist().entropy() - std::numbers::ln2; }
Tensor HalfNormal::compute_log_prob(const Tensor& value) const {
  return where(value >= 0, base_dist().log_prob(value) + std::numbers::ln2, -kInfinity);
}
Tensor HalfNormal::compute_cdf(const Tensor& value) const { return 2 * base_dist().cdf(value) - 1; }
Tensor HalfNormal::compute_icdf(const Tensor& value) const {
  return base_dist().icdf((value + 1) / 2);
}

namespace {
/// Stick breaking needs a vector: a single variable becomes a vector of one.
Normal as_vector(const Normal& base) {
  return base.batch_shape().empty() ? base.expand({1}) : base;
}
const Normal& vector_of(const Distribution& base) {
  return normal_of(dynamic_cast<const Independent&>(base).base_dist());
}
}  // namespace

LogisticNormal::LogisticNormal(const TensorOrNumber& loc, const TensorOrNumber& scale,
                               Validate validate_args)
    : DistributionOf({"LogisticNormal", true}, as_vector(Normal(loc, scale, validate_args)),
                     {StickBreakingTransform()}, validate_args) {
  validate();
}
Tensor LogisticNormal::loc() const { return vector_of(base_dist()).loc(); }
Tensor LogisticNormal::scale() const { return vector_of(base_dist()).scale(); }
std::vector<DistributionParameter> LogisticNormal::parameters() const {
  return location_and_scale(loc(), scale());
}

}  // namespace taper::distributions
