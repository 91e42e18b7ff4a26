#include "taper/distributions/gamma.h"

#include "distributions/shapes.h"
#include "taper/autograd/grad_mode.h"
#include "taper/ops/gamma.h"

namespace taper::distributions {
namespace {

/// Returns x with a lower limit at the smallest normal number, without an effect on the gradient.
Tensor at_least_tiny(const Tensor& x) {
  const NoGrad guard;
  x.detach().clamp_(finfo(x.dtype()).tiny);
  return x;
}

}  // namespace

Gamma::Gamma(const TensorOrNumber& concentration, const TensorOrNumber& rate,
             Validate validate_args)
    : Gamma({"Gamma", true}, concentration, rate, validate_args) {
  validate();
}
Gamma::Gamma(const DistributionInfo& info, const TensorOrNumber& concentration,
             const TensorOrNumber& rate, Validate validate_args)
    : DistributionOf(info, validate_args) {
  set_parameters({{"concentration", concentration, constraints::positive},
                  {"rate", rate, constraints::positive}});
  set_support(constraints::nonnegative);
}
Tensor Gamma::mean() const { return concentration() / rate(); }
Tensor Gamma::mode() const { return ((concentration() - 1) / rate()).clamp_min(0); }
Tensor Gamma::variance() const { return concentration() / rate().square(); }
Tensor Gamma::entropy() const {
  const Tensor& a = concentration();
  return a - rate().log() + a.lgamma() + (1 - a) * a.digamma();
}
Tensor Gamma::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor a = concentration().expand(extended_shape(sample_shape));
  return at_least_tiny(standard_gamma(a, generator) / rate());
}
Tensor Gamma::compute_log_prob(const Tensor& value) const {
  const Tensor& a = concentration();
  return xlogy(a, rate()) + xlogy(a - 1, value) - rate() * value - a.lgamma();
}
Tensor Gamma::compute_cdf(const Tensor& value) const {
  return igamma(concentration(), rate() * value);
}
std::vector<Tensor> Gamma::natural_params() const { return {concentration() - 1, -rate()}; }
Tensor Gamma::log_normalizer(const std::vector<Tensor>& p) const {
  return (p[0] + 1).lgamma() + (p[0] + 1) * (-p[1].reciprocal()).log();
}
Tensor Gamma::mean_carrier_measure() const { return zeros_like(rate()); }

namespace {
TensorOrNumber half(const TensorOrNumber& x) {
  return x.is_tensor() ? TensorOrNumber(0.5 * x.tensor()) : 0.5 * x.number().to_double();
}
}  // namespace

Chi2::Chi2(const TensorOrNumber& df, Validate validate_args)
    : DistributionOf({"Chi2", true}, half(df), 0.5, validate_args) {
  validate();
}
std::vector<DistributionParameter> Chi2::parameters() const {
  return {{"df", df(), constraints::positive}};
}

Exponential::Exponential(const TensorOrNumber& rate, Validate validate_args)
    : DistributionOf({"Exponential", true}, validate_args) {
  set_parameters({{"rate", rate, constraints::positive}});
  set_support(constraints::nonnegative);
  validate();
}
Tensor Exponential::mean() const { return rate().reciprocal(); }
Tensor Exponential::mode() const { return zeros_like(rate()); }
Tensor Exponential::stddev() const { return rate().reciprocal(); }
Tensor Exponential::variance() const { return rate().pow(-2); }
Tensor Exponential::entropy() const { return 1 - rate().log(); }
Tensor Exponential::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor x = empty(extended_shape(sample_shape), options_of(rate()));
  x.exponential_(1, generator);
  return x / rate();
}
Tensor Exponential::compute_log_prob(const Tensor& value) const {
  return rate().log() - rate() * value;
}
Tensor Exponential::compute_cdf(const Tensor& value) const { return 1 - (-rate() * value).exp(); }
Tensor Exponential::compute_icdf(const Tensor& value) const { return -(-value).log1p() / rate(); }
std::vector<Tensor> Exponential::natural_params() const { return {-rate()}; }
Tensor Exponential::log_normalizer(const std::vector<Tensor>& p) const { return -(-p[0]).log(); }
Tensor Exponential::mean_carrier_measure() const { return zeros_like(rate()); }

namespace {
PowerTransform reciprocal_of(const Gamma& base) {
  return PowerTransform(full_as(base.rate(), {}, -1));
}
const Gamma& gamma_of(const Distribution& base) { return dynamic_cast<const Gamma&>(base); }
}  // namespace

InverseGamma::InverseGamma(const TensorOrNumber& concentration, const TensorOrNumber& rate,
                           Validate validate_args)
    : DistributionOf({"InverseGamma", true}, Gamma(concentration, rate, validate_args),
                     {reciprocal_of(Gamma(concentration, rate, false))}, validate_args) {
  validate();
}
Tensor InverseGamma::concentration() const { return gamma_of(base_dist()).concentration(); }
Tensor InverseGamma::rate() const { return gamma_of(base_dist()).rate(); }
std::vector<DistributionParameter> InverseGamma::parameters() const {
  return gamma_of(base_dist()).parameters();
}
Tensor InverseGamma::mean() const {
  const Tensor a = concentration();
  return where(a > 1, rate() / (a - 1), kInfinity);
}
Tensor InverseGamma::mode() const { return rate() / (concentration() + 1); }
Tensor InverseGamma::variance() const {
  const Tensor a = concentration();
  return where(a > 2, rate().square() / ((a - 1).square() * (a - 2)), kInfinity);
}
Tensor InverseGamma::entropy() const {
  const Tensor a = concentration();
  return a + rate().log() + a.lgamma() - (1 + a) * a.digamma();
}

FisherSnedecor::FisherSnedecor(const TensorOrNumber& df1, const TensorOrNumber& df2,
                               Validate validate_args)
    : DistributionOf({"FisherSnedecor", true}, validate_args) {
  set_parameters({{"df1", df1, constraints::positive}, {"df2", df2, constraints::positive}});
  set_support(constraints::positive);
  validate();
}
Tensor FisherSnedecor::mean() const { return where(df2() <= 2, kNaN, df2() / (df2() - 2)); }
Tensor FisherSnedecor::mode() const {
  return where(df1() <= 2, kNaN, (df1() - 2) / df1() * df2() / (df2() + 2));
}
Tensor FisherSnedecor::variance() const {
  const Tensor denominator = df1() * (df2() - 2).square() * (df2() - 4);
  return where(df2() <= 4, kNaN, 2 * df2().square() * (df1() + df2() - 2) / denominator);
}
Tensor FisherSnedecor::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor x1 = Gamma(df1() * 0.5, df1(), false).rsample(sample_shape, generator);
  const Tensor x2 = Gamma(df2() * 0.5, df2(), false).rsample(sample_shape, generator);
  return at_least_tiny(x1 / x2);
}
Tensor FisherSnedecor::compute_log_prob(const Tensor& value) const {
  const Tensor a = df1() * 0.5, b = df2() * 0.5, ratio = df1() / df2();
  return (a + b).lgamma() - a.lgamma() - b.lgamma() + a * ratio.log() + (a - 1) * value.log() -
         (a + b) * (ratio * value).log1p();
}

StudentT::StudentT(const TensorOrNumber& df, const TensorOrNumber& loc, const TensorOrNumber& scale,
                   Validate validate_args)
    : DistributionOf({"StudentT", true}, validate_args) {
  set_parameters({{"df", df, constraints::positive},
                  {"loc", loc, constraints::real},
                  {"scale", scale, constraints::positive}});
  set_support(constraints::real);
  validate();
}
Tensor StudentT::mean() const { return where(df() <= 1, kNaN, loc()); }
Tensor StudentT::mode() const { return loc(); }
Tensor StudentT::variance() const {
  const Tensor finite = scale().square() * df() / (df() - 2);
  return where(df() <= 1, kNaN, where(df() <= 2, kInfinity, finite));
}
Tensor StudentT::entropy() const {
  const Tensor a = 0.5 * df(), b = 0.5 * (df() + 1);
  const Tensor log_beta = a.lgamma() + 0.5 * std::log(kPi) - b.lgamma();
  return scale().log() + b * (b.digamma() - a.digamma()) + 0.5 * df().log() + log_beta;
}
Tensor StudentT::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor x = standard_normal(extended_shape(sample_shape), df(), generator);
  const Tensor z = Chi2(df(), false).rsample(sample_shape, generator);
  return loc() + scale() * (x * (z / df()).rsqrt());
}
Tensor StudentT::compute_log_prob(const Tensor& value) const {
  const Tensor y = (value - loc()) / scale();
  const Tensor normalizer = scale().log() + 0.5 * df().log() + 0.5 * std::log(kPi) +
                            (0.5 * df()).lgamma() - (0.5 * (df() + 1)).lgamma();
  return -0.5 * (df() + 1) * (y.square() / df()).log1p() - normalizer;
}

}  // namespace taper::distributions
