#include "taper/distributions/constraints.h"

#include "core/never_destroyed.h"
#include "distributions/shapes.h"
#include "taper/ops/decomposition.h"

namespace taper::distributions::constraints {
namespace {

using Definition = ConstraintDefinition;

Tensor above(const Tensor& value, const TensorOrNumber& bound) {
  return bound.is_tensor() ? value > bound.tensor() : value > bound.number();
}
Tensor at_least(const Tensor& value, const TensorOrNumber& bound) {
  return bound.is_tensor() ? value >= bound.tensor() : value >= bound.number();
}
Tensor below(const Tensor& value, const TensorOrNumber& bound) {
  return bound.is_tensor() ? value < bound.tensor() : value < bound.number();
}
Tensor at_most(const Tensor& value, const TensorOrNumber& bound) {
  return bound.is_tensor() ? value <= bound.tensor() : value <= bound.number();
}
Tensor is_integer(const Tensor& value) {
  return is_floating_point(value.dtype()) ? value == value.floor()
                                          : ones_like(value, {.dtype = DType::bool_});
}

Definition lower(std::string name, const TensorOrNumber& bound) {
  Definition d{.name = std::move(name), .check = nullptr};
  d.lower_bound = bound;
  d.arguments = "lower_bound=" + bound.str();
  return d;
}
Definition between(std::string name, const TensorOrNumber& low, const TensorOrNumber& high) {
  Definition d = lower(std::move(name), low);
  d.upper_bound = high;
  d.arguments += ", upper_bound=" + high.str();
  return d;
}

Tensor is_lower_triangular(const Tensor& x) {
  return (x.tril() == x).reshape(concat({without_last(x.shape(), 2), {-1}})).all({-1});
}
Tensor is_square(const Tensor& x) {
  return full(without_last(x.shape(), 2), x.size(-2) == x.size(-1), {.dtype = DType::bool_});
}
Tensor is_symmetric(const Tensor& x) {
  if (x.size(-2) != x.size(-1)) return is_square(x);
  return isclose(x, x.mT(), 1e-5, 1e-6).all({-2, -1});
}
Tensor has_positive_diagonal(const Tensor& x) { return (x.diagonal(0, -2, -1) > 0).all({-1}); }

Tensor check_simplex(const Tensor& x) {
  return (x >= 0).all({-1}).logical_and((x.sum({-1}) - 1).abs() < 1e-6);
}
Tensor check_lower_cholesky(const Tensor& x) {
  return is_lower_triangular(x).logical_and(has_positive_diagonal(x));
}
Tensor check_corr_cholesky(const Tensor& x) {
  const double tolerance = finfo(x.dtype()).eps * static_cast<double>(x.size(-1)) * 10;
  const Tensor norms = x.detach().square().sum({-1}).sqrt();
  return check_lower_cholesky(x).logical_and(((norms - 1).abs() < tolerance).all({-1}));
}
Tensor check_positive_semidefinite(const Tensor& x) {
  const Tensor symmetric = is_symmetric(x);
  if (!symmetric.all().item<bool>()) return symmetric;
  return (linalg::eigvalsh(x) >= 0).all({-1});
}
Tensor check_positive_definite(const Tensor& x) {
  const Tensor symmetric = is_symmetric(x);
  if (!symmetric.all().item<bool>()) return symmetric;
  return linalg::cholesky_ex(x).second == 0;
}
Tensor check_one_hot(const Tensor& x) {
  return ((x == 0).logical_or(x == 1)).all({-1}).logical_and(x.sum({-1}) == 1);
}

[[noreturn]] Tensor check_dependent(const Tensor&) {
  fail<ValueError>("Cannot determine validity of dependent constraint");
}

const std::vector<Definition>& plain_definitions() {
  const auto is_real = [](const Tensor& x) { return x == x; };
  const auto is_boolean = [](const Tensor& x) { return (x == 0).logical_or(x == 1); };
  static const NeverDestroyed<std::vector<Definition>> all(std::initializer_list<Definition>{
      {"Dependent", check_dependent, false, 0},
      {"Boolean", is_boolean, true, 0},
      {"OneHot", check_one_hot, true, 1},
      {"Real", is_real, false, 0},
      {"Simplex", check_simplex, false, 1},
      {"LowerTriangular", is_lower_triangular, false, 2},
      {"LowerCholesky", check_lower_cholesky, false, 2},
      {"CorrCholesky", check_corr_cholesky, false, 2},
      {"Square", is_square, false, 2},
      {"Symmetric", is_symmetric, false, 2},
      {"PositiveSemidefinite", check_positive_semidefinite, false, 2},
      {"PositiveDefinite", check_positive_definite, false, 2}});
  return *all;
}

/// Returns the slices of x for the parts of a cat or stack constraint.
Tensor check_slices(const Tensor& x, const std::vector<Constraint>& parts, std::int64_t dim,
                    const Shape& lengths) {
  std::vector<Tensor> checks;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    checks.push_back(parts[i].check(x.narrow(dim, start, lengths[i])));
    start += lengths[i];
  }
  return taper::cat(checks, dim);
}

Definition joined(std::string name, const std::vector<Constraint>& cseq, IntArg dim) {
  Definition d{.name = std::move(name), .check = nullptr, .parts = cseq, .dim = dim};
  for (const Constraint& c : cseq) {
    d.is_discrete = d.is_discrete || c.is_discrete();
    d.event_dim = std::max(d.event_dim, c.event_dim());
  }
  return d;
}

Constraint greater_than_of(const TensorOrNumber& bound) {
  Definition d = lower("GreaterThan", bound);
  d.check = [bound](const Tensor& x) { return above(x, bound); };
  return Constraint(std::move(d));
}
Constraint greater_than_eq_of(const TensorOrNumber& bound) {
  Definition d = lower("GreaterThanEq", bound);
  d.check = [bound](const Tensor& x) { return at_least(x, bound); };
  return Constraint(std::move(d));
}
Constraint less_than_of(const TensorOrNumber& bound) {
  Definition d{.name = "LessThan",
               .check = [bound](const Tensor& x) { return below(x, bound); },
               .arguments = "upper_bound=" + bound.str()};
  d.upper_bound = bound;
  return Constraint(std::move(d));
}
Constraint interval_of(const TensorOrNumber& low, const TensorOrNumber& high) {
  Definition d = between("Interval", low, high);
  d.check = [low, high](const Tensor& x) { return at_least(x, low).logical_and(at_most(x, high)); };
  return Constraint(std::move(d));
}
Constraint half_open_interval_of(const TensorOrNumber& low, const TensorOrNumber& high) {
  Definition d = between("HalfOpenInterval", low, high);
  d.check = [low, high](const Tensor& x) { return at_least(x, low).logical_and(below(x, high)); };
  return Constraint(std::move(d));
}
Constraint integer_interval_of(const TensorOrNumber& low, const TensorOrNumber& high) {
  Definition d = between("IntegerInterval", low, high);
  d.is_discrete = true;
  d.check = [low, high](const Tensor& x) {
    return is_integer(x).logical_and(at_least(x, low)).logical_and(at_most(x, high));
  };
  return Constraint(std::move(d));
}
Constraint integer_greater_than_of(const TensorOrNumber& bound) {
  Definition d = lower("IntegerGreaterThan", bound);
  d.is_discrete = true;
  d.check = [bound](const Tensor& x) { return is_integer(x).logical_and(at_least(x, bound)); };
  return Constraint(std::move(d));
}
Constraint multinomial_of(const TensorOrNumber& bound) {
  Definition d{.name = "Multinomial",
               .check =
                   [bound](const Tensor& x) {
                     return (x >= 0).all({-1}).logical_and(at_most(x.sum({-1}), bound));
                   },
               .is_discrete = true,
               .event_dim = 1};
  d.upper_bound = bound;
  return Constraint(std::move(d));
}
Constraint independent_of(const Constraint& base, IntArg ndims) {
  const std::int64_t n = ndims;
  if (n < 0)
    fail<ValueError>("independent: reinterpreted_batch_ndims must be non-negative: got {}", n);
  return Constraint({.name = "IndependentConstraint",
                     .check =
                         [base, n](const Tensor& x) {
                           const Tensor result = base.check(x);
                           if (result.dim() < n)
                             fail<ValueError>("Expected value.dim() >= {} but got {}",
                                              base.event_dim() + n, x.dim());
                           const Shape batch = without_last(result.shape(), n);
                           return result.reshape(concat({batch, {-1}})).all({-1});
                         },
                     .is_discrete = base.is_discrete(),
                     .event_dim = base.event_dim() + n,
                     .arguments = base.str() + ", " + std::to_string(n),
                     .parts = {base},
                     .dim = n});
}
Constraint cat_of(const std::vector<Constraint>& cseq, IntArg dim, Shape lengths) {
  if (lengths.empty()) lengths = Shape::filled(cseq.size(), 1);
  if (lengths.size() != cseq.size())
    fail<ValueError>("cat: expected {} lengths, got {}", cseq.size(), lengths.size());
  Definition d = joined("Cat", cseq, dim);
  d.lengths = lengths;
  d.check = [cseq, lengths, at = d.dim](const Tensor& x) {
    return check_slices(x, cseq, at, lengths);
  };
  return Constraint(std::move(d));
}
Constraint stack_of(const std::vector<Constraint>& cseq, IntArg dim) {
  Definition d = joined("Stack", cseq, dim);
  d.check = [cseq, at = d.dim](const Tensor& x) {
    std::vector<Tensor> checks;
    for (std::size_t i = 0; i < cseq.size(); ++i)
      checks.push_back(cseq[i].check(x.select(at, static_cast<std::int64_t>(i))));
    return taper::stack(checks, at);
  };
  return Constraint(std::move(d));
}
Constraint mixture_of(const Constraint& base) {
  return Constraint({.name = "MixtureSameFamilyConstraint",
                     .check =
                         [base](const Tensor& x) {
                           const Tensor result = base.check(x.unsqueeze(-1 - base.event_dim()));
                           const std::int64_t parts = result.dim() - x.dim() + base.event_dim();
                           return parts <= 0 ? result : result.all({-1});
                         },
                     .is_discrete = base.is_discrete(),
                     .event_dim = base.event_dim(),
                     .arguments = base.str(),
                     .parts = {base}});
}

}  // namespace

Tensor Constraint::check(const Tensor& value) const {
  if (value.dim() < definition_->event_dim)
    fail<ValueError>("{}: expected a value of at least {} dimensions, got shape {}", str(),
                     definition_->event_dim, value.shape());
  return definition_->check(value);
}
std::string Constraint::str() const {
  return definition_->name + "(" + definition_->arguments + ")";
}

greater_than::greater_than(const TensorOrNumber& b) : Constraint(greater_than_of(b)) {}
greater_than_eq::greater_than_eq(const TensorOrNumber& b) : Constraint(greater_than_eq_of(b)) {}
less_than::less_than(const TensorOrNumber& b) : Constraint(less_than_of(b)) {}
interval::interval(const TensorOrNumber& low, const TensorOrNumber& high)
    : Constraint(interval_of(low, high)) {}
half_open_interval::half_open_interval(const TensorOrNumber& low, const TensorOrNumber& high)
    : Constraint(half_open_interval_of(low, high)) {}
integer_interval::integer_interval(const TensorOrNumber& low, const TensorOrNumber& high)
    : Constraint(integer_interval_of(low, high)) {}
integer_greater_than::integer_greater_than(const TensorOrNumber& b)
    : Constraint(integer_greater_than_of(b)) {}
multinomial::multinomial(const TensorOrNumber& b) : Constraint(multinomial_of(b)) {}
independent::independent(const Constraint& base, IntArg n) : Constraint(independent_of(base, n)) {}
cat::cat(const std::vector<Constraint>& cseq, IntArg dim, const Shape& lengths)
    : Constraint(cat_of(cseq, dim, lengths)) {}
stack::stack(const std::vector<Constraint>& cseq, IntArg dim) : Constraint(stack_of(cseq, dim)) {}
MixtureSameFamilyConstraint::MixtureSameFamilyConstraint(const Constraint& base)
    : Constraint(mixture_of(base)) {}

Constraint named(std::string_view name) {
  for (const Definition& d : plain_definitions())
    if (d.name == name) return Constraint(d);
  fail<KeyError>("constraints: unknown constraint '{}'", name);
}

bool is_dependent(const Constraint& constraint) {
  return constraint.definition().name == "Dependent";
}

}  // namespace taper::distributions::constraints
