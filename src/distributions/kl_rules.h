// Rules of kl_divergence.
#pragma once
#include "taper/distributions/kl.h"

namespace taper::distributions {

void register_same_family_rules();
void register_cross_family_kl();
void register_multivariate_rules();
void register_composite_rules();

/// Sets a rule of the library.
void add_kl_rule(std::type_index p, std::type_index q, KlRule rule);
template <class P, class Q> void add_kl(Tensor (*rule)(const P&, const Q&)) {
  add_kl_rule(typeid(P), typeid(Q), [rule](const Distribution& p, const Distribution& q) {
    return rule(dynamic_cast<const P&>(p), dynamic_cast<const Q&>(q));
  });
}

}  // namespace taper::distributions
