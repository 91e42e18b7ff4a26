// Constraints: regions over which a parameter or a variable is valid.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taper/core/shared_function.h"
#include "taper/distributions/tensor_or_number.h"

namespace TAPER_API taper {
namespace distributions::constraints {

struct ConstraintDefinition;

/// Region of valid values. Copies share the definition. Other constraints are created from a
/// definition. PyTorch: torch.distributions.constraints.Constraint.
class Constraint {
 public:
  explicit Constraint(ConstraintDefinition definition);

  /// Returns a bool tensor that is true where `value` satisfies the constraint, of the shape of
  /// `value` without its last `event_dim()` dimensions.
  /// PyTorch: torch.distributions.constraints.Constraint.check.
  Tensor check(const Tensor& value) const;
  /// Returns true if the region is discrete.
  /// PyTorch: torch.distributions.constraints.Constraint.is_discrete.
  bool is_discrete() const;
  /// Returns the number of dimensions of an event.
  /// PyTorch: torch.distributions.constraints.Constraint.event_dim.
  std::int64_t event_dim() const;
  /// Returns Python's printed form: "GreaterThan(lower_bound=0.0)".
  std::string str() const;
  const ConstraintDefinition& definition() const { return *definition_; }

 private:
  std::shared_ptr<const ConstraintDefinition> definition_;
};

/// Content of a constraint.
struct ConstraintDefinition {
  std::string name;  ///< name of the class in printed forms: "GreaterThan"
  /// Returns a bool tensor of the shape of the argument without the last `event_dim` dimensions.
  SharedFunction<Tensor(const Tensor&)> check;
  bool is_discrete = false;
  std::int64_t event_dim = 0;
  std::string arguments{};  ///< printed between the parentheses
  std::optional<TensorOrNumber> lower_bound{}, upper_bound{};
  std::vector<Constraint> parts{};  ///< constraints that this one is composed of
  std::int64_t dim = 0;             ///< dimension along which `parts` are joined
  Shape lengths{};                  ///< sizes of `parts` along `dim`
};

inline Constraint::Constraint(ConstraintDefinition definition)
    : definition_(std::make_shared<const ConstraintDefinition>(std::move(definition))) {}
inline bool Constraint::is_discrete() const { return definition_->is_discrete; }
inline std::int64_t Constraint::event_dim() const { return definition_->event_dim; }

/// Values above `lower_bound`. PyTorch: torch.distributions.constraints.greater_than.
struct greater_than : Constraint {
  explicit greater_than(const TensorOrNumber& lower_bound);
};
/// Values not below `lower_bound`. PyTorch: torch.distributions.constraints.greater_than_eq.
struct greater_than_eq : Constraint {
  explicit greater_than_eq(const TensorOrNumber& lower_bound);
};
/// Values below `upper_bound`. PyTorch: torch.distributions.constraints.less_than.
struct less_than : Constraint {
  explicit less_than(const TensorOrNumber& upper_bound);
};
/// Values in [lower_bound, upper_bound]. PyTorch: torch.distributions.constraints.interval.
struct interval : Constraint {
  interval(const TensorOrNumber& lower_bound, const TensorOrNumber& upper_bound);
};
/// Values in [lower_bound, upper_bound).
/// PyTorch: torch.distributions.constraints.half_open_interval.
struct half_open_interval : Constraint {
  half_open_interval(const TensorOrNumber& lower_bound, const TensorOrNumber& upper_bound);
};
/// Integers in [lower_bound, upper_bound].
/// PyTorch: torch.distributions.constraints.integer_interval.
struct integer_interval : Constraint {
  integer_interval(const TensorOrNumber& lower_bound, const TensorOrNumber& upper_bound);
};
/// Integers not below `lower_bound`, as `nonnegative_integer` and `positive_integer`.
struct integer_greater_than : Constraint {
  explicit integer_greater_than(const TensorOrNumber& lower_bound);
};
/// Vectors of non-negative counts with the sum `upper_bound`.
/// PyTorch: torch.distributions.constraints.multinomial.
struct multinomial : Constraint {
  explicit multinomial(const TensorOrNumber& upper_bound);
};
/// Treats the last `reinterpreted_batch_ndims` batch dimensions of a constraint as dimensions of an
/// event, which is valid if all its elements are. Throws ValueError if the number is negative.
/// PyTorch: torch.distributions.constraints.independent.
struct independent : Constraint {
  independent(const Constraint& base_constraint, IntArg reinterpreted_batch_ndims);
};
/// Applies constraints to slices along `dim` of the given lengths, by default 1. Throws ValueError
/// unless there is a length for each. PyTorch: torch.distributions.constraints.cat.
struct cat : Constraint {
  explicit cat(const std::vector<Constraint>& cseq, IntArg dim = 0, const Shape& lengths = {});
};
/// Applies a constraint to each entry along `dim`. PyTorch: torch.distributions.constraints.stack.
struct stack : Constraint {
  explicit stack(const std::vector<Constraint>& cseq, IntArg dim = 0);
};
/// Constraint of a mixture: that of its components, for each of them.
/// PyTorch: torch.distributions.constraints.MixtureSameFamilyConstraint.
struct MixtureSameFamilyConstraint : Constraint {
  explicit MixtureSameFamilyConstraint(const Constraint& base_constraint);
};

/// Returns the constraint of that name without arguments. Throws KeyError if it does not exist.
Constraint named(std::string_view name);

namespace detail {
/// Returns a copy that exists until the process ends, because destructors of static objects may use
/// distributions.
inline const Constraint& never_destroyed(const Constraint& constraint) {
  return *new Constraint(constraint);
}
}  // namespace detail

/// Placeholder for a support that depends on other variables; `check` throws ValueError.
/// PyTorch: torch.distributions.constraints.dependent.
inline const Constraint& dependent = detail::never_destroyed(named("Dependent"));
/// Values 0 and 1. PyTorch: torch.distributions.constraints.boolean.
inline const Constraint& boolean = detail::never_destroyed(named("Boolean"));
/// Vectors of zeros with a single one. PyTorch: torch.distributions.constraints.one_hot.
inline const Constraint& one_hot = detail::never_destroyed(named("OneHot"));
/// PyTorch: torch.distributions.constraints.nonnegative_integer.
inline const Constraint& nonnegative_integer = detail::never_destroyed(integer_greater_than(0));
/// PyTorch: torch.distributions.constraints.positive_integer.
inline const Constraint& positive_integer = detail::never_destroyed(integer_greater_than(1));
/// Numbers that are not NaN. PyTorch: torch.distributions.constraints.real.
inline const Constraint& real = detail::never_destroyed(named("Real"));
/// PyTorch: torch.distributions.constraints.real_vector.
inline const Constraint& real_vector = detail::never_destroyed(independent(real, 1));
/// PyTorch: torch.distributions.constraints.positive.
inline const Constraint& positive = detail::never_destroyed(greater_than(0.0));
/// PyTorch: torch.distributions.constraints.nonnegative.
inline const Constraint& nonnegative = detail::never_destroyed(greater_than_eq(0.0));
/// PyTorch: torch.distributions.constraints.unit_interval.
inline const Constraint& unit_interval = detail::never_destroyed(interval(0.0, 1.0));
/// Vectors of non-negative elements with the sum 1, within 1e-6.
/// PyTorch: torch.distributions.constraints.simplex.
inline const Constraint& simplex = detail::never_destroyed(named("Simplex"));
/// PyTorch: torch.distributions.constraints.lower_triangular.
inline const Constraint& lower_triangular = detail::never_destroyed(named("LowerTriangular"));
/// Lower triangular matrices with a positive diagonal.
/// PyTorch: torch.distributions.constraints.lower_cholesky.
inline const Constraint& lower_cholesky = detail::never_destroyed(named("LowerCholesky"));
/// As `lower_cholesky`, with rows of norm 1. PyTorch:
/// torch.distributions.constraints.corr_cholesky.
inline const Constraint& corr_cholesky = detail::never_destroyed(named("CorrCholesky"));
/// PyTorch: torch.distributions.constraints.square.
inline const Constraint& square = detail::never_destroyed(named("Square"));
/// Square matrices that are symmetric within 1e-6.
/// PyTorch: torch.distributions.constraints.symmetric.
inline const Constraint& symmetric = detail::never_destroyed(named("Symmetric"));
/// PyTorch: torch.distributions.constraints.positive_semidefinite.
inline const Constraint& positive_semidefinite =
    detail::never_destroyed(named("PositiveSemidefinite"));
/// PyTorch: torch.distributions.constraints.positive_definite.
inline const Constraint& positive_definite = detail::never_destroyed(named("PositiveDefinite"));

/// Returns true if the constraint is `dependent`.
/// PyTorch: torch.distributions.constraints.is_dependent.
bool is_dependent(const Constraint& constraint);

}  // namespace distributions::constraints
}  // namespace taper

namespace TAPER_API taper {
namespace distributions {
using constraints::Constraint;
}  // namespace distributions
}  // namespace taper
