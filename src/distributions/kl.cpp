#include "taper/distributions/kl.h"

#include <map>

#include "core/check.h"
#include "core/never_destroyed.h"
#include "distributions/kl_rules.h"

namespace taper::distributions {
namespace {

using Pair = std::pair<std::type_index, std::type_index>;

std::map<Pair, KlRule>& rules() {
  static NeverDestroyed<std::map<Pair, KlRule>> all;
  return *all;
}

/// Registers the rules of the library on first use, before those of the user.
std::map<Pair, KlRule>& registered_rules() {
  static const bool once = [] {
    register_same_family_rules();
    register_cross_family_kl();
    register_multivariate_rules();
    register_composite_rules();
    return true;
  }();
  static_cast<void>(once);
  return rules();
}

}  // namespace

void add_kl_rule(std::type_index p, std::type_index q, KlRule rule) {
  rules()[Pair(p, q)] = std::move(rule);
}

void register_kl(std::type_index p, std::type_index q, KlRule rule) {
  registered_rules()[Pair(p, q)] = std::move(rule);
}

Tensor kl_divergence(const Distribution& p, const Distribution& q) {
  const auto& all = registered_rules();
  for (const std::type_index& a : p.lineage())
    for (const std::type_index& b : q.lineage())
      if (const auto found = all.find(Pair(a, b)); found != all.end()) return found->second(p, q);
  fail<NotImplementedError>("No KL(p || q) is implemented for p type {} and q type {}", p.name(),
                            q.name());
}

}  // namespace taper::distributions
