#include "taper/distributions/extreme_value.h"

#include "distributions/shapes.h"
#include "taper/distributions/gamma.h"

namespace taper::distributions {
namespace {

Tensor first_of(const TensorOrNumber& a, const TensorOrNumber& b) {
  return broadcast_all({a, b})[0];
}

}  // namespace

Pareto::Pareto(const TensorOrNumber& scale, const TensorOrNumber& alpha, Validate validate_args)
    : DistributionOf({"Pareto", true}, Exponential(first_of(alpha, scale), false),
                     {ExpTransform(), AffineTransform(0, first_of(scale, alpha))}, validate_args) {
  set_parameters(
      {{"alpha", alpha, constraints::positive}, {"scale", scale, constraints::positive}});
  set_support(constraints::greater_than_eq(this->scale()));
  validate();
}
Tensor Pareto::mean() const {
  const Tensor a = alpha().clamp_min(1);
  return a * scale() / (a - 1);
}
Tensor Pareto::mode() const { return scale(); }
Tensor Pareto::variance() const {
  const Tensor a = alpha().clamp_min(2);
  return scale().square() * a / ((a - 1).square() * (a - 2));
}
Tensor Pareto::entropy() const { return (scale() / alpha()).log() + (1 + alpha().reciprocal()); }

Weibull::Weibull(const TensorOrNumber& scale, const TensorOrNumber& concentration,
                 Validate validate_args)
    : DistributionOf({"Weibull", true},
                     Exponential(ones_like(first_of(scale, concentration)), false),
                     {PowerTransform(first_of(concentration, scale).reciprocal()),
                      AffineTransform(0, first_of(scale, concentration))},
                     validate_args) {
  set_parameters({{"scale", scale, constraints::positive},
                  {"concentration", concentration, constraints::positive}});
  set_support(constraints::positive);
  validate();
}
Tensor Weibull::mean() const { return scale() * (1 + concentration().reciprocal()).lgamma().exp(); }
Tensor Weibull::mode() const {
  const Tensor& k = concentration();
  return scale() * ((k - 1) / k).pow(k.reciprocal());
}
Tensor Weibull::variance() const {
  const Tensor r = concentration().reciprocal();
  return scale().square() * ((1 + 2 * r).lgamma().exp() - (2 * (1 + r).lgamma()).exp());
}
Tensor Weibull::entropy() const {
  const Tensor r = concentration().reciprocal();
  return kEulerGamma * (1 - r) + (scale() * r).log() + 1;
}

GeneralizedPareto::GeneralizedPareto(const TensorOrNumber& loc, const TensorOrNumber& scale,
                                     const TensorOrNumber& concentration, Validate validate_args)
    : DistributionOf({"GeneralizedPareto", true}, validate_args) {
  set_parameters({{"loc", loc, constraints::real},
                  {"scale", scale, constraints::positive},
                  {"concentration", concentration, constraints::real}});
  const Tensor end = this->loc() - this->scale() / this->concentration();
  set_support(constraints::interval(this->loc(), where(this->concentration() < 0, end, kInfinity)));
  validate();
}
Tensor GeneralizedPareto::mean() const {
  const Tensor& k = concentration();
  return where(k < 1, loc() + scale() / (1 - k), kNaN);
}
Tensor GeneralizedPareto::mode() const { return loc(); }
Tensor GeneralizedPareto::variance() const {
  const Tensor& k = concentration();
  return where(k < 0.5, scale().square() / ((1 - k).square() * (1 - 2 * k)), kNaN);
}
Tensor GeneralizedPareto::entropy() const { return scale().log() + concentration() + 1; }

namespace {
/// Returns log1p(k z) / k, which is z for k = 0.
Tensor relative_log(const Tensor& k, const Tensor& z) {
  const Tensor is_zero = isclose(k, zeros_like(k)), safe = where(is_zero, 1, k);
  return where(is_zero, z, (safe * z).log1p() / safe);
}
}  // namespace

Tensor GeneralizedPareto::draw(const Shape& sample_shape, const Generator& generator) const {
  return icdf(standard_uniform(extended_shape(sample_shape), loc(), generator));
}
Tensor GeneralizedPareto::compute_log_prob(const Tensor& value) const {
  const Tensor z = (value - loc()) / scale();
  return -scale().log() - (1 + concentration()) * relative_log(concentration(), z);
}
Tensor GeneralizedPareto::compute_cdf(const Tensor& value) const {
  return 1 - (-relative_log(concentration(), (value - loc()) / scale())).exp();
}
Tensor GeneralizedPareto::compute_icdf(const Tensor& value) const {
  const Tensor& k = concentration();
  const Tensor is_zero = isclose(k, zeros_like(k)), safe = where(is_zero, 1, k);
  const Tensor log_survival = (-value).log1p();
  const Tensor z = where(is_zero, -log_survival, (-safe * log_survival).expm1() / safe);
  return loc() + scale() * z;
}

}  // namespace taper::distributions
