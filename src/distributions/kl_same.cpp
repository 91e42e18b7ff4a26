// Divergences of distributions of the same family.
#include "distributions/kl_rules.h"
#include "distributions/shapes.h"
#include "ops/pointwise/functions.h"
#include "taper/distributions/distributions.h"

namespace taper::distributions {
namespace {

Tensor kl_bernoulli_bernoulli(const Bernoulli& p, const Bernoulli& q) {
  const Tensor probs = p.probs(), p_logits = p.logits(), q_logits = q.logits();
  const Tensor one = probs * (softplus(-q_logits) - softplus(-p_logits));
  const Tensor zero = (1 - probs) * (softplus(q_logits) - softplus(p_logits));
  const Tensor certain_q = where(q.probs() == 0, kInfinity, one);
  const Tensor t1 = where(probs == 0, 0.0, certain_q);
  const Tensor t2 = where(probs == 1, 0.0, where(q.probs() == 1, kInfinity, zero));
  return t1 + t2;
}
Tensor kl_beta_beta(const Beta& p, const Beta& q) {
  const Tensor &pa = p.concentration1(), &pb = p.concentration0();
  const Tensor &qa = q.concentration1(), &qb = q.concentration0();
  const Tensor p_sum = pa + pb, q_sum = qa + qb;
  return qa.lgamma() + qb.lgamma() + p_sum.lgamma() - (pa.lgamma() + pb.lgamma() + q_sum.lgamma()) +
         (pa - qa) * pa.digamma() + (pb - qb) * pb.digamma() + (q_sum - p_sum) * p_sum.digamma();
}
Tensor kl_binomial_binomial(const Binomial& p, const Binomial& q) {
  const Tensor pp = p.probs();
  const Tensor kl =
      p.total_count() * (pp * (p.logits() - q.logits()) + (-pp).log1p() - (-q.probs()).log1p());
  return where(p.total_count() > q.total_count(), kInfinity, kl);
}
/// Returns sum p (log p - log q) over the last dimension.
Tensor kl_of_categories(const Tensor& p_probs, const Tensor& p_logits, const Tensor& q_probs,
                        const Tensor& q_logits) {
  const Tensor term = p_probs * (p_logits - q_logits);
  const Tensor impossible = where(q_probs == 0, kInfinity, term);
  return where(p_probs == 0, 0.0, impossible).sum({-1});
}
Tensor kl_categorical_categorical(const Categorical& p, const Categorical& q) {
  return kl_of_categories(p.probs(), p.logits(), q.probs(), q.logits());
}
Tensor kl_one_hot_one_hot(const OneHotCategorical& p, const OneHotCategorical& q) {
  return kl_of_categories(p.probs(), p.logits(), q.probs(), q.logits());
}
Tensor kl_continuous_bernoulli(const ContinuousBernoulli& p, const ContinuousBernoulli& q) {
  const Tensor pp = p.probs(), qp = q.probs(), zero = zeros_like(pp);
  return p.mean() * (p.logits() - q.logits()) + p.log_prob(zero) - q.log_prob(zero);
}
Tensor kl_dirichlet_dirichlet(const Dirichlet& p, const Dirichlet& q) {
  const Tensor &a = p.concentration(), &b = q.concentration();
  const Tensor total = a.sum({-1}, true);
  return a.sum({-1}).lgamma() - b.sum({-1}).lgamma() - (a.lgamma() - b.lgamma()).sum({-1}) +
         ((a - b) * (a.digamma() - total.digamma())).sum({-1});
}
Tensor kl_exponential_exponential(const Exponential& p, const Exponential& q) {
  const Tensor ratio = q.rate() / p.rate();
  return -ratio.log() + ratio - 1;
}
Tensor kl_gamma_gamma(const Gamma& p, const Gamma& q) {
  const Tensor &a = p.concentration(), &b = q.concentration();
  return b * (p.rate() / q.rate()).log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma() +
         (q.rate() - p.rate()) * (a / p.rate());
}
Tensor kl_gumbel_gumbel(const Gumbel& p, const Gumbel& q) {
  const Tensor ratio = p.scale() / q.scale(), shift = q.loc() / q.scale();
  const Tensor t2 = p.loc() / q.scale();
  const Tensor t3 = (shift - t2 + (1 + ratio).lgamma()).exp();
  return -ratio.log() - shift + t2 + ratio * kEulerGamma + t3 - (1 + kEulerGamma);
}
Tensor kl_geometric_geometric(const Geometric& p, const Geometric& q) {
  return -p.entropy() - (-q.probs()).log1p() / p.probs() - q.logits();
}
Tensor kl_half_normal_half_normal(const HalfNormal& p, const HalfNormal& q) {
  return kl_divergence(p.base_dist(), q.base_dist());
}
Tensor kl_laplace_laplace(const Laplace& p, const Laplace& q) {
  const Tensor ratio = p.scale() / q.scale(), distance = (p.loc() - q.loc()).abs();
  return -ratio.log() + distance / q.scale() + ratio * (-distance / p.scale()).exp() - 1;
}
Tensor kl_normal_normal(const Normal& p, const Normal& q) {
  const Tensor ratio = (p.scale() / q.scale()).square();
  const Tensor shift = ((p.loc() - q.loc()) / q.scale()).square();
  return 0.5 * (ratio + shift - 1 - ratio.log());
}
Tensor kl_pareto_pareto(const Pareto& p, const Pareto& q) {
  const Tensor ratio = p.scale() / q.scale(), alpha = q.alpha() / p.alpha();
  const Tensor kl = q.alpha() * ratio.log() - alpha.log() + alpha - 1;
  return where(p.scale() < q.scale(), kInfinity, kl);
}
Tensor kl_poisson_poisson(const Poisson& p, const Poisson& q) {
  return p.rate() * (p.rate().log() - q.rate().log()) - (p.rate() - q.rate());
}
Tensor kl_uniform_uniform(const Uniform& p, const Uniform& q) {
  const Tensor kl = ((q.high() - q.low()) / (p.high() - p.low())).log();
  return where((q.low() > p.low()).logical_or(q.high() < p.high()), kInfinity, kl);
}
Tensor kl_cauchy_cauchy(const Cauchy& p, const Cauchy& q) {
  const Tensor t1 = ((p.scale() + q.scale()).square() + (p.loc() - q.loc()).square()).log();
  return t1 - (4 * p.scale() * q.scale()).log();
}

}  // namespace

void register_same_family_rules() {
  add_kl<Bernoulli, Bernoulli>(kl_bernoulli_bernoulli);
  add_kl<Beta, Beta>(kl_beta_beta);
  add_kl<Binomial, Binomial>(kl_binomial_binomial);
  add_kl<Categorical, Categorical>(kl_categorical_categorical);
  add_kl<Cauchy, Cauchy>(kl_cauchy_cauchy);
  add_kl<ContinuousBernoulli, ContinuousBernoulli>(kl_continuous_bernoulli);
  add_kl<Dirichlet, Dirichlet>(kl_dirichlet_dirichlet);
  add_kl<Exponential, Exponential>(kl_exponential_exponential);
  add_kl<Gamma, Gamma>(kl_gamma_gamma);
  add_kl<Geometric, Geometric>(kl_geometric_geometric);
  add_kl<Gumbel, Gumbel>(kl_gumbel_gumbel);
  add_kl<HalfNormal, HalfNormal>(kl_half_normal_half_normal);
  add_kl<Laplace, Laplace>(kl_laplace_laplace);
  add_kl<Normal, Normal>(kl_normal_normal);
  add_kl<OneHotCategorical, OneHotCategorical>(kl_one_hot_one_hot);
  add_kl<Pareto, Pareto>(kl_pareto_pareto);
  add_kl<Poisson, Poisson>(kl_poisson_poisson);
  add_kl<Uniform, Uniform>(kl_uniform_uniform);
}

}  // namespace taper::distributions
