// Divergences of composed distributions and of exponential families.
#include <algorithm>
#include <typeinfo>

#include "distributions/kl_rules.h"
#include "distributions/shapes.h"
#include "taper/autograd/autograd.h"
#include "taper/distributions/independent.h"
#include "taper/distributions/transformed_distribution.h"

namespace taper::distributions {
namespace {

[[noreturn]] void not_implemented(const char* reason, const Distribution& p,
                                  const Distribution& q) {
  fail<NotImplementedError>("No KL(p || q) is implemented for p type {} and q type {}{}", p.name(),
                            q.name(), reason);
}

Tensor kl_independent_independent(const Independent& p, const Independent& q) {
  if (p.reinterpreted_batch_ndims() != q.reinterpreted_batch_ndims())
    not_implemented(" with different reinterpreted_batch_ndims", p, q);
  return sum_rightmost(kl_divergence(p.base_dist(), q.base_dist()), p.reinterpreted_batch_ndims());
}

Tensor kl_transformed_transformed(const TransformedDistribution& p,
                                  const TransformedDistribution& q) {
  if (!ComposeTransform(p.transforms()).equals(ComposeTransform(q.transforms())))
    not_implemented(" with different transforms", p, q);
  if (p.event_shape() != q.event_shape()) not_implemented(" with different event shapes", p, q);
  const Tensor kl = kl_divergence(p.base_dist(), q.base_dist());
  const std::int64_t more = rank_of(p.base_dist().batch_shape()) - rank_of(p.batch_shape());
  return sum_rightmost(kl, more);
}

// The Bregman divergence of the log normalizers (Nielsen and Nock, 2010).
Tensor kl_exponential_families(const ExponentialFamily& p, const ExponentialFamily& q) {
  if (typeid(p) != typeid(q)) not_implemented("", p, q);
  std::vector<Tensor> natural;
  for (const Tensor& t : p.natural_params())
    natural.push_back(t.requires_grad() ? t : t.detach().requires_grad_());
  const std::vector<Tensor> other = q.natural_params();
  const EnableGrad guard;
  const Tensor normalizer = p.log_normalizer(natural);
  const auto gradients = autograd::grad(normalizer.sum(), natural, {.create_graph = true});
  Tensor result = q.log_normalizer(other) - normalizer;
  const std::int64_t batch_dim = std::max(rank_of(p.batch_shape()), rank_of(q.batch_shape()));
  for (std::size_t i = 0; i < natural.size(); ++i) {
    const Tensor term = (other[i] - natural[i]) * gradients[i];
    result = result - sum_rightmost(term, term.dim() - batch_dim);
  }
  return result;
}

}  // namespace

void register_composite_rules() {
  add_kl<Independent, Independent>(kl_independent_independent);
  add_kl<TransformedDistribution, TransformedDistribution>(kl_transformed_transformed);
  add_kl<ExponentialFamily, ExponentialFamily>(kl_exponential_families);
}

}  // namespace taper::distributions
