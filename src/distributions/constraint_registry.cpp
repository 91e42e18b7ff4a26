#include "taper/distributions/constraint_registry.h"

#include "core/check.h"
#include "core/never_destroyed.h"

namespace taper::distributions {
namespace {

AnyTransform to_real(const Constraint&) { return identity_transform; }

AnyTransform to_half_line(const Constraint& c) {
  const auto& d = c.definition();
  if (d.lower_bound) return ComposeTransform({ExpTransform(), AffineTransform(*d.lower_bound, 1)});
  return ComposeTransform({ExpTransform(), AffineTransform(*d.upper_bound, -1)});
}

AnyTransform to_interval(const Constraint& c) {
  const TensorOrNumber &low = *c.definition().lower_bound, &high = *c.definition().upper_bound;
  if (!low.is_tensor() && !high.is_tensor()) {
    const double a = low.number().to_double(), b = high.number().to_double();
    if (a == 0 && b == 1) return SigmoidTransform();
    return ComposeTransform({SigmoidTransform(), AffineTransform(a, b - a)});
  }
  const DType dtype = (low.is_tensor() ? low : high).tensor().dtype();
  const Tensor loc = low.to_tensor(dtype);
  return ComposeTransform({SigmoidTransform(), AffineTransform(loc, high.to_tensor(dtype) - loc)});
}

using Lookup = AnyTransform (*)(const Constraint&);

/// Registers the constraints that both registries treat alike; `lookup` is that of the registry.
void register_common(ConstraintRegistry& registry, Lookup lookup) {
  registry.register_("Real", to_real);
  for (const char* name : {"GreaterThan", "GreaterThanEq", "LessThan"})
    registry.register_(name, to_half_line);
  for (const char* name : {"Interval", "HalfOpenInterval"}) registry.register_(name, to_interval);
  registry.register_("CorrCholesky",
                     [](const Constraint&) -> AnyTransform { return CorrCholeskyTransform(); });
  registry.register_("IndependentConstraint", [lookup](const Constraint& c) -> AnyTransform {
    return IndependentTransform(lookup(c.definition().parts[0]), c.definition().dim);
  });
  const auto parts_of = [lookup](const Constraint& c) {
    std::vector<AnyTransform> parts;
    for (const Constraint& part : c.definition().parts) parts.push_back(lookup(part));
    return parts;
  };
  registry.register_("Cat", [parts_of](const Constraint& c) -> AnyTransform {
    return CatTransform(parts_of(c), c.definition().dim, c.definition().lengths);
  });
  registry.register_("Stack", [parts_of](const Constraint& c) -> AnyTransform {
    return StackTransform(parts_of(c), c.definition().dim);
  });
}

}  // namespace

void ConstraintRegistry::register_(const std::string& constraint_name, Factory factory) {
  factories_[constraint_name] = std::move(factory);
}
AnyTransform ConstraintRegistry::operator()(const Constraint& constraint) const {
  const auto found = factories_.find(constraint.definition().name);
  if (found == factories_.end())
    fail<NotImplementedError>("Cannot transform {} constraints", constraint.definition().name);
  return found->second(constraint);
}

ConstraintRegistry& biject_to() {
  static NeverDestroyed<ConstraintRegistry> registry([] {
    ConstraintRegistry r;
    register_common(r, [](const Constraint& c) { return biject_to(c); });
    r.register_("Simplex",
                [](const Constraint&) -> AnyTransform { return StickBreakingTransform(); });
    return r;
  }());
  return *registry;
}
ConstraintRegistry& transform_to() {
  static NeverDestroyed<ConstraintRegistry> registry([] {
    ConstraintRegistry r;
    register_common(r, [](const Constraint& c) { return transform_to(c); });
    r.register_("Simplex", [](const Constraint&) -> AnyTransform { return SoftmaxTransform(); });
    r.register_("LowerCholesky",
                [](const Constraint&) -> AnyTransform { return LowerCholeskyTransform(); });
    for (const char* name : {"PositiveDefinite", "PositiveSemidefinite"})
      r.register_(name,
                  [](const Constraint&) -> AnyTransform { return PositiveDefiniteTransform(); });
    return r;
  }());
  return *registry;
}
AnyTransform biject_to(const Constraint& constraint) { return biject_to()(constraint); }
AnyTransform transform_to(const Constraint& constraint) { return transform_to()(constraint); }

}  // namespace taper::distributions
