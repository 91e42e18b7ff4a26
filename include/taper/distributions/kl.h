// Kullback-Leibler divergences.
#pragma once
#include <typeindex>

#include "taper/distributions/distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Returns the Kullback-Leibler divergence KL(p || q) = E_p[log p(x) - log q(x)]: the broadcast
/// batch shape. The rule is that of the most derived classes, first of p, then of q. Throws
/// NotImplementedError if no rule is registered. PyTorch: torch.distributions.kl_divergence.
Tensor kl_divergence(const Distribution& p, const Distribution& q);

/// Rule that computes KL(p || q).
using KlRule = SharedFunction<Tensor(const Distribution& p, const Distribution& q)>;
/// Sets the rule for two classes and those derived from them. Not thread-safe.
/// PyTorch: torch.distributions.register_kl.
void register_kl(std::type_index p, std::type_index q, KlRule rule);
/// Sets the rule for the classes P and Q: `register_kl<Normal, Mine>([](const Normal& p, const
/// Mine& q) { return ...; })`.
template <class P, class Q, class Rule> void register_kl(Rule rule) {
  register_kl(typeid(P), typeid(Q), [rule](const Distribution& p, const Distribution& q) {
    return rule(dynamic_cast<const P&>(p), dynamic_cast<const Q&>(q));
  });
}

}  // namespace distributions
}  // namespace taper
