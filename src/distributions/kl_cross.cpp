// Divergences of distributions of different families: -entropy(p) - E_p[log q(x)].
#include "distributions/kl_rules.h"
#include "distributions/shapes.h"
#include "taper/distributions/distributions.h"

namespace taper::distributions {
namespace {

/// Rule for variables of p that q excludes with positive probability.
template <class P, class Q> Tensor kl_infinity(const P& p, const Q& q) {
  const Tensor like = p.parameters()[0].value;
  return full_as(like, broadcast_shapes(p.batch_shape(), q.batch_shape()), kInfinity);
}

/// Returns E[(x - loc)^2] / (2 scale^2) + log(scale sqrt(2 pi)): the cross entropy to q.
Tensor cross_entropy(const Tensor& mean, const Tensor& variance, const Normal& q) {
  return 0.5 * (variance + (mean - q.loc()).square()) / q.scale().square() +
         (q.scale() * std::sqrt(2 * kPi)).log();
}
template <class P> Tensor kl_to_normal(const P& p, const Normal& q) {
  return -p.entropy() + cross_entropy(p.mean(), p.variance(), q);
}
template <class P> Tensor kl_to_exponential(const P& p, const Exponential& q) {
  return -p.entropy() - q.rate().log() + q.rate() * p.mean();
}

Tensor kl_bernoulli_poisson(const Bernoulli& p, const Poisson& q) {
  return -p.entropy() - (p.probs() * q.rate().log() - q.rate());
}
Tensor kl_beta_continuous_bernoulli(const Beta& p, const ContinuousBernoulli& q) {
  const Tensor zero = zeros_like(q.probs());
  return -p.entropy() - p.mean() * q.logits() - q.log_prob(zero) + zero;
}
Tensor kl_beta_gamma(const Beta& p, const Gamma& q) {
  const Tensor &a = p.concentration1(), &b = p.concentration0();
  const Tensor expected_log = a.digamma() - (a + b).digamma();
  return -p.entropy() + q.concentration().lgamma() - q.concentration() * q.rate().log() -
         (q.concentration() - 1) * expected_log + q.rate() * p.mean();
}
Tensor kl_beta_uniform(const Beta& p, const Uniform& q) {
  const Tensor kl = -p.entropy() + (q.high() - q.low()).log();
  return where((q.low() > 0).logical_or(q.high() < 1), kInfinity, kl);
}
Tensor kl_continuous_bernoulli_uniform(const ContinuousBernoulli& p, const Uniform& q) {
  const Tensor kl = -p.entropy() + (q.high() - q.low()).log();
  return where((q.low() > 0).logical_or(q.high() < 1), kInfinity, kl);
}
Tensor kl_exponential_gamma(const Exponential& p, const Gamma& q) {
  const Tensor ratio = q.rate() / p.rate();
  return -q.concentration() * ratio.log() + ratio + q.concentration().lgamma() +
         q.concentration() * kEulerGamma - (1 + kEulerGamma);
}
Tensor kl_exponential_gumbel(const Exponential& p, const Gumbel& q) {
  const Tensor product = p.rate() * q.scale(), shift = q.loc() / q.scale();
  return product.log() - 1 + product.reciprocal() - shift + shift.exp() * product / (product + 1);
}
Tensor kl_gamma_gumbel(const Gamma& p, const Gumbel& q) {
  const Tensor product = p.rate() * q.scale(), shift = q.loc() / q.scale();
  const Tensor& a = p.concentration();
  return (a - 1) * a.digamma() - a.lgamma() - a + product.log() + a / product - shift +
         shift.exp() * (1 + product.reciprocal()).pow(-a);
}
Tensor kl_gamma_exponential(const Gamma& p, const Exponential& q) {
  return -p.entropy() - q.rate().log() + q.rate() * p.concentration() / p.rate();
}
Tensor kl_normal_gumbel(const Normal& p, const Gumbel& q) {
  const Tensor shift = (p.loc() - q.loc()) / q.scale(), ratio = (p.scale() / q.scale()).square();
  return (-shift + 0.5 * ratio).exp() + shift - 0.5 * (1 + std::log(2 * kPi)) -
         (p.scale() / q.scale()).log();
}
Tensor kl_normal_laplace(const Normal& p, const Laplace& q) {
  const Tensor d = p.loc() - q.loc(), z = d / p.scale();
  const Tensor expected =
      std::sqrt(2 / kPi) * p.scale() * (-0.5 * z.square()).exp() + d * (std::sqrt(0.5) * z).erf();
  return -p.entropy() + (2 * q.scale()).log() + expected / q.scale();
}
Tensor kl_pareto_exponential(const Pareto& p, const Exponential& q) {
  const Tensor product = p.scale() * q.rate();
  const Tensor kl = (p.alpha() / product).log() - p.alpha().reciprocal() +
                    p.alpha() * product / (p.alpha() - 1) - 1;
  return where(p.alpha() <= 1, kInfinity, kl);
}
Tensor kl_pareto_gamma(const Pareto& p, const Gamma& q) {
  const Tensor expected_log = p.scale().log() + p.alpha().reciprocal();
  const Tensor& b = q.concentration();
  const Tensor kl = p.alpha().log() - p.scale().log() - p.alpha().reciprocal() - 1 + b.lgamma() -
                    b * q.rate().log() + (1 - b) * expected_log +
                    q.rate() * p.alpha() * p.scale() / (p.alpha() - 1);
  return where(p.alpha() <= 1, kInfinity, kl);
}
Tensor kl_pareto_normal(const Pareto& p, const Normal& q) {
  const Tensor excess = p.alpha() - 1;
  const Tensor variance = p.scale().square() * p.alpha() / (excess.square() * (p.alpha() - 2));
  const Tensor mean = p.alpha() * p.scale() / excess;
  return where(p.alpha() <= 2, kInfinity, -p.entropy() + cross_entropy(mean, variance, q));
}
Tensor kl_uniform_beta(const Uniform& p, const Beta& q) {
  const Tensor width = p.high() - p.low();
  const Tensor &a = q.concentration1(), &b = q.concentration0();
  // Integrals of log(x) and log(1 - x) over the interval.
  const Tensor log_x = (x_log_x(p.high()) - x_log_x(p.low()) - width) / width;
  const Tensor log_rest = (x_log_x(1 - p.high()) - x_log_x(1 - p.low()) + width) / width;
  const Tensor kl = -width.log() - (a - 1) * log_x + (b - 1) * log_rest + a.lgamma() + b.lgamma() -
                    (a + b).lgamma();
  return where((p.high() > 1).logical_or(p.low() < 0), kInfinity, kl);
}
Tensor kl_uniform_continuous_bernoulli(const Uniform& p, const ContinuousBernoulli& q) {
  const Tensor kl = -p.entropy() - p.mean() * q.logits() - q.log_prob(zeros_like(q.probs()));
  return where((p.high() > 1).logical_or(p.low() < 0), kInfinity, kl);
}
Tensor kl_uniform_exponential(const Uniform& p, const Exponential& q) {
  const Tensor kl = q.rate() * (p.high() + p.low()) / 2 - ((p.high() - p.low()) * q.rate()).log();
  return where(p.low() < 0, kInfinity, kl);
}
Tensor kl_uniform_gamma(const Uniform& p, const Gamma& q) {
  const Tensor width = p.high() - p.low(), &b = q.concentration();
  const Tensor log_x = (x_log_x(p.high()) - x_log_x(p.low()) - width) / width;
  const Tensor kl = -width.log() + b.lgamma() - b * q.rate().log() + (1 - b) * log_x +
                    q.rate() * (p.high() + p.low()) / 2;
  return where(p.low() < 0, kInfinity, kl);
}
Tensor kl_uniform_gumbel(const Uniform& p, const Gumbel& q) {
  const Tensor ratio = q.scale() / (p.high() - p.low());
  const Tensor low = (p.low() - q.loc()) / q.scale(), high = (p.high() - q.loc()) / q.scale();
  return ratio.log() + 0.5 * (low + high) - ratio * ((-high).exp() - (-low).exp());
}
Tensor kl_uniform_pareto(const Uniform& p, const Pareto& q) {
  const Tensor width = p.high() - p.low();
  const Tensor log_x = (x_log_x(p.high()) - x_log_x(p.low()) - width) / width;
  const Tensor kl =
      -width.log() - q.alpha().log() - q.alpha() * q.scale().log() + (q.alpha() + 1) * log_x;
  return where(p.low() < q.scale(), kInfinity, kl);
}

}  // namespace

void register_cross_family_kl() {
  add_kl<Bernoulli, Poisson>(kl_bernoulli_poisson);
  add_kl<Beta, ContinuousBernoulli>(kl_beta_continuous_bernoulli);
  add_kl<Beta, Exponential>(kl_to_exponential<Beta>);
  add_kl<Beta, Gamma>(kl_beta_gamma);
  add_kl<Beta, Normal>(kl_to_normal<Beta>);
  add_kl<Beta, Uniform>(kl_beta_uniform);
  add_kl<ContinuousBernoulli, Exponential>(kl_to_exponential<ContinuousBernoulli>);
  add_kl<ContinuousBernoulli, Normal>(kl_to_normal<ContinuousBernoulli>);
  add_kl<ContinuousBernoulli, Uniform>(kl_continuous_bernoulli_uniform);
  add_kl<Exponential, Gamma>(kl_exponential_gamma);
  add_kl<Exponential, Gumbel>(kl_exponential_gumbel);
  add_kl<Exponential, Normal>(kl_to_normal<Exponential>);
  add_kl<Gamma, Exponential>(kl_gamma_exponential);
  add_kl<Gamma, Gumbel>(kl_gamma_gumbel);
  add_kl<Gamma, Normal>(kl_to_normal<Gamma>);
  add_kl<Gumbel, Normal>(kl_to_normal<Gumbel>);
  add_kl<Laplace, Normal>(kl_to_normal<Laplace>);
  add_kl<Normal, Gumbel>(kl_normal_gumbel);
  add_kl<Normal, Laplace>(kl_normal_laplace);
  add_kl<Pareto, Exponential>(kl_pareto_exponential);
  add_kl<Pareto, Gamma>(kl_pareto_gamma);
  add_kl<Pareto, Normal>(kl_pareto_normal);
  add_kl<Uniform, Beta>(kl_uniform_beta);
  add_kl<Uniform, ContinuousBernoulli>(kl_uniform_continuous_bernoulli);
  add_kl<Uniform, Exponential>(kl_uniform_exponential);
  add_kl<Uniform, Gamma>(kl_uniform_gamma);
  add_kl<Uniform, Gumbel>(kl_uniform_gumbel);
  add_kl<Uniform, Normal>(kl_to_normal<Uniform>);
  add_kl<Uniform, Pareto>(kl_uniform_pareto);
  add_kl<Beta, Pareto>(kl_infinity);
  add_kl<ContinuousBernoulli, Pareto>(kl_infinity);
  add_kl<Exponential, Beta>(kl_infinity);
  add_kl<Exponential, ContinuousBernoulli>(kl_infinity);
  add_kl<Exponential, Pareto>(kl_infinity);
  add_kl<Exponential, Uniform>(kl_infinity);
  add_kl<Gamma, Beta>(kl_infinity);
  add_kl<Gamma, ContinuousBernoulli>(kl_infinity);
  add_kl<Gamma, Pareto>(kl_infinity);
  add_kl<Gamma, Uniform>(kl_infinity);
  add_kl<Gumbel, Beta>(kl_infinity);
  add_kl<Gumbel, ContinuousBernoulli>(kl_infinity);
  add_kl<Gumbel, Exponential>(kl_infinity);
  add_kl<Gumbel, Gamma>(kl_infinity);
  add_kl<Gumbel, Pareto>(kl_infinity);
  add_kl<Gumbel, Uniform>(kl_infinity);
  add_kl<Laplace, Beta>(kl_infinity);
  add_kl<Laplace, ContinuousBernoulli>(kl_infinity);
  add_kl<Laplace, Exponential>(kl_infinity);
  add_kl<Laplace, Gamma>(kl_infinity);
  add_kl<Laplace, Pareto>(kl_infinity);
  add_kl<Laplace, Uniform>(kl_infinity);
  add_kl<Normal, Beta>(kl_infinity);
  add_kl<Normal, ContinuousBernoulli>(kl_infinity);
  add_kl<Normal, Exponential>(kl_infinity);
  add_kl<Normal, Gamma>(kl_infinity);
  add_kl<Normal, Pareto>(kl_infinity);
  add_kl<Normal, Uniform>(kl_infinity);
  add_kl<Pareto, Beta>(kl_infinity);
  add_kl<Pareto, ContinuousBernoulli>(kl_infinity);
  add_kl<Pareto, Uniform>(kl_infinity);
  add_kl<Poisson, Bernoulli>(kl_infinity);
  add_kl<Poisson, Binomial>(kl_infinity);
}

}  // namespace taper::distributions
