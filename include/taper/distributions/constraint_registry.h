// Registries of the transforms to constrained spaces.
#pragma once
#include <map>
#include <string>

#include "taper/distributions/transforms.h"

namespace TAPER_API taper {
namespace distributions {

/// Maps constraints to transforms from unconstrained space to the region of the constraint.
/// Registration is not thread-safe.
/// PyTorch: torch.distributions.constraint_registry.ConstraintRegistry.
class ConstraintRegistry {
 public:
  using Factory = SharedFunction<AnyTransform(const Constraint&)>;
  /// Sets the factory for the constraints of that name, the class in printed forms: "GreaterThan".
  /// PyTorch: torch.distributions.constraint_registry.ConstraintRegistry.register.
  void register_(const std::string& constraint_name, Factory factory);
  /// Returns the transform. Throws NotImplementedError if the constraint is not registered.
  AnyTransform operator()(const Constraint& constraint) const;

 private:
  std::map<std::string, Factory> factories_;
};

/// Returns a one-to-one transform from unconstrained space to the region of a constraint:
/// `biject_to(constraints::positive)`. The overload without argument returns the registry.
/// PyTorch: torch.distributions.biject_to.
AnyTransform biject_to(const Constraint& constraint);
ConstraintRegistry& biject_to();
/// As `biject_to`, with transforms that need not be one-to-one but are suited to optimization.
/// PyTorch: torch.distributions.transform_to.
AnyTransform transform_to(const Constraint& constraint);
ConstraintRegistry& transform_to();

}  // namespace distributions
}  // namespace taper
