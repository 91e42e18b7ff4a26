#include "taper/distributions/beta.h"

#include "distributions/shapes.h"
#include "taper/distributions/location_scale.h"
#include "taper/ops/gamma.h"

namespace taper::distributions {

Dirichlet::Dirichlet(const Tensor& concentration, Validate validate_args)
    : DistributionOf({"Dirichlet", true}, validate_args) {
  if (concentration.dim() < 1)
    fail<ValueError>("`concentration` parameter must be at least one-dimensional.");
  set_parameters(
      {{"concentration", concentration, constraints::independent(constraints::positive, 1)}});
  set_shapes(batch_shape(), last(concentration.shape(), 1));
  set_support(constraints::simplex);
  validate();
}
Tensor Dirichlet::mean() const { return concentration() / concentration().sum({-1}, true); }
Tensor Dirichlet::mode() const {
  const Tensor excess = (concentration() - 1).clamp_min(0);
  const Tensor inner = excess / excess.sum({-1}, true);
  const Tensor below = (concentration() < 1).all({-1}, true);
  const Tensor categories = arange(event_shape()[0]);
  const Tensor vertex = (inner.argmax(-1, true) == categories).to(inner.dtype());
  return where(below, vertex, inner);
}
Tensor Dirichlet::variance() const {
  const Tensor& a = concentration();
  const Tensor total = a.sum({-1}, true);
  return a * (total - a) / (total.square() * (total + 1));
}
Tensor Dirichlet::entropy() const {
  const Tensor& a = concentration();
  const Tensor total = a.sum({-1});
  return a.lgamma().sum({-1}) - total.lgamma() - (a.size(-1) - total) * total.digamma() -
         ((a - 1) * a.digamma()).sum({-1});
}
Tensor Dirichlet::draw(const Shape& sample_shape, const Generator& generator) const {
  return sample_dirichlet(concentration().expand(extended_shape(sample_shape)), generator);
}
Tensor Dirichlet::compute_log_prob(const Tensor& value) const {
  const Tensor& a = concentration();
  return xlogy(a - 1, value).sum({-1}) + a.sum({-1}).lgamma() - a.lgamma().sum({-1});
}
std::vector<Tensor> Dirichlet::natural_params() const { return {concentration()}; }
Tensor Dirichlet::log_normalizer(const std::vector<Tensor>& p) const {
  return p[0].lgamma().sum({-1}) - p[0].sum({-1}).lgamma();
}
Tensor Dirichlet::mean_carrier_measure() const { not_implemented("mean_carrier_measure"); }

Beta::Beta(const TensorOrNumber& concentration1, const TensorOrNumber& concentration0,
           Validate validate_args)
    : DistributionOf({"Beta", true}, validate_args) {
  set_parameters({{"concentration1", concentration1, constraints::positive},
                  {"concentration0", concentration0, constraints::positive}});
  set_support(constraints::unit_interval);
  validate();
}
Dirichlet Beta::dirichlet() const {
  return Dirichlet(stack({concentration1(), concentration0()}, -1), false);
}
Tensor Beta::mean() const { return concentration1() / (concentration1() + concentration0()); }
Tensor Beta::mode() const { return dirichlet().mode().select(-1, 0); }
Tensor Beta::variance() const {
  const Tensor total = concentration1() + concentration0();
  return concentration1() * concentration0() / (total.square() * (total + 1));
}
Tensor Beta::entropy() const { return dirichlet().entropy(); }
Tensor Beta::draw(const Shape& sample_shape, const Generator& generator) const {
  return dirichlet().rsample(sample_shape, generator).select(-1, 0);
}
Tensor Beta::compute_log_prob(const Tensor& value) const {
  return dirichlet().log_prob(stack({value, 1 - value}, -1));
}
std::vector<Tensor> Beta::natural_params() const { return {concentration1(), concentration0()}; }
Tensor Beta::log_normalizer(const std::vector<Tensor>& p) const {
  return p[0].lgamma() + p[1].lgamma() - (p[0] + p[1]).lgamma();
}
Tensor Beta::mean_carrier_measure() const { not_implemented("mean_carrier_measure"); }

namespace {
std::vector<AnyTransform> kumaraswamy_transforms(const Tensor& a, const Tensor& b) {
  return {PowerTransform(b.reciprocal()), AffineTransform(1, -1), PowerTransform(a.reciprocal())};
}
/// Returns the n-th moment, B(1 + n / a, b) b, of a Kumaraswamy variable.
Tensor kumaraswamy_moment(const Tensor& a, const Tensor& b, int n) {
  const Tensor x = 1 + n / a;
  return b * (x.lgamma() + b.lgamma() - (x + b).lgamma()).exp();
}
}  // namespace

Kumaraswamy::Kumaraswamy(const TensorOrNumber& concentration1, const TensorOrNumber& concentration0,
                         Validate validate_args)
    : DistributionOf({"Kumaraswamy", true},
                     Uniform(zeros_like(broadcast_all({concentration1, concentration0})[0]),
                             ones_like(broadcast_all({concentration1, concentration0})[0]), false),
                     kumaraswamy_transforms(broadcast_all({concentration1, concentration0})[0],
                                            broadcast_all({concentration1, concentration0})[1]),
                     validate_args) {
  set_parameters({{"concentration1", concentration1, constraints::positive},
                  {"concentration0", concentration0, constraints::positive}});
  set_support(constraints::unit_interval);
  validate();
}
Tensor Kumaraswamy::mean() const {
  return kumaraswamy_moment(concentration1(), concentration0(), 1);
}
Tensor Kumaraswamy::mode() const {
  const Tensor &a = concentration1(), &b = concentration0();
  // As PyTorch, NaN unless both concentrations are 1, because log(1 - b) is that of a negative.
  const Tensor log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p();
  return where((a < 1).logical_or(b < 1), kNaN, log_mode.exp());
}
Tensor Kumaraswamy::variance() const {
  return kumaraswamy_moment(concentration1(), concentration0(), 2) - mean().square();
}
Tensor Kumaraswamy::entropy() const {
  const Tensor &a = concentration1(), &b = concentration0();
  const Tensor harmonic = (b + 1).digamma() + kEulerGamma;
  return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - a.log() - b.log();
}

}  // namespace taper::distributions
