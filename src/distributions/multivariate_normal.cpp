#include "distributions/covariance.h"

namespace taper::distributions {

Tensor precision_to_scale_tril(const Tensor& precision) {
  // The factor of the reversed matrix is, reversed, the inverse of the transposed factor.
  const Tensor reversed = linalg::cholesky(precision.flip({-2, -1}));
  const Tensor inverse = reversed.flip({-2, -1}).mT();
  return linalg::solve_triangular(
      inverse, eye(precision.size(-1), -1, options_of(precision)).expand(precision.shape()), false);
}
Tensor scale_tril_of(const DistributionParameter& given) {
  if (given.name == "scale_tril") return given.value;
  return given.name == "covariance_matrix" ? linalg::cholesky(given.value)
                                           : precision_to_scale_tril(given.value);
}
NamedMatrix matrix_of(const CovarianceOptions& o) {
  if (o.covariance_matrix.has_value() + o.precision_matrix.has_value() + o.scale_tril.has_value() !=
      1)
    fail<ValueError>(
        "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.");
  const NamedMatrix m = o.covariance_matrix ? NamedMatrix{"covariance_matrix", *o.covariance_matrix}
                        : o.precision_matrix ? NamedMatrix{"precision_matrix", *o.precision_matrix}
                                             : NamedMatrix{"scale_tril", *o.scale_tril};
  if (m.value.dim() < 2)
    fail<ValueError>("{} must be at least two-dimensional, with optional leading batch dimensions",
                     m.name);
  if (m.value.size(-1) != m.value.size(-2))
    fail<ValueError>("{}: expected square matrices, got shape {}", m.name, m.value.shape());
  return m;
}
Constraint NamedMatrix::constraint() const {
  return std::string_view(name) == "scale_tril" ? constraints::lower_cholesky
                                                : constraints::positive_definite;
}

Tensor half_log_det(const Tensor& scale_tril) {
  return scale_tril.diagonal(0, -2, -1).log().sum({-1});
}
Tensor mahalanobis(const Tensor& scale_tril, const Tensor& x) {
  const std::int64_t n = x.size(-1);
  const Shape batch =
      broadcast_shapes(without_last(x.shape(), 1), without_last(scale_tril.shape(), 2));
  const Tensor factor = scale_tril.expand(concat({batch, {n, n}}));
  const Tensor column = x.expand(concat({batch, {n}})).unsqueeze(-1);
  return linalg::solve_triangular(factor, column, false).square().sum({-2, -1});
}
void check_event(const char* name, const Tensor& loc, std::int64_t n) {
  if (loc.dim() < 1) fail<ValueError>("loc must be at least one-dimensional.");
  if (loc.size(-1) != n)
    fail<ValueError>("{}: sizes of loc and the matrix differ: got {} and {}", name, loc.size(-1),
                     n);
}

MultivariateNormal::MultivariateNormal(const Tensor& loc, const CovarianceOptions& options,
                                       Validate validate_args)
    : DistributionOf({"MultivariateNormal", true}, validate_args) {
  const NamedMatrix m = matrix_of(options);
  check_event("MultivariateNormal", loc, m.value.size(-1));
  set_parameters({{"loc", loc, constraints::real_vector}, {m.name, m.value, m.constraint()}});
  set_covariance_alternatives(
      m, [this](const char* n, const Constraint& c, std::size_t at) { set_alternative(n, c, at); },
      1);
  set_shapes(batch_shape(), last(loc.shape(), 1));
  set_support(constraints::real_vector);
  validate();
  scale_tril_ = scale_tril_of(parameters()[1]);
}
Tensor MultivariateNormal::covariance_matrix() const {
  return scale_tril_.matmul(scale_tril_.mT());
}
Tensor MultivariateNormal::precision_matrix() const { return cholesky_inverse(scale_tril_); }
Tensor MultivariateNormal::mean() const { return loc(); }
Tensor MultivariateNormal::mode() const { return loc(); }
Tensor MultivariateNormal::variance() const { return scale_tril_.square().sum({-1}); }
Tensor MultivariateNormal::entropy() const {
  const auto d = static_cast<double>(event_shape()[0]);
  return 0.5 * d * (1 + std::log(2 * kPi)) + half_log_det(scale_tril_);
}
Tensor MultivariateNormal::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor eps = standard_normal(extended_shape(sample_shape), loc(), generator);
  return loc() + batch_mv(scale_tril_, eps);
}
Tensor MultivariateNormal::compute_log_prob(const Tensor& value) const {
  const auto d = static_cast<double>(event_shape()[0]);
  return -0.5 * (d * std::log(2 * kPi) + mahalanobis(scale_tril_, value - loc())) -
         half_log_det(scale_tril_);
}
void MultivariateNormal::expand_to(const Shape& batch_shape) {
  Distribution::expand_to(batch_shape);
  scale_tril_ = scale_tril_.expand(concat({batch_shape, last(scale_tril_.shape(), 2)}));
}

LowRankMultivariateNormal::LowRankMultivariateNormal(const Tensor& loc, const Tensor& cov_factor,
                                                     const Tensor& cov_diag, Validate validate_args)
    : DistributionOf({"LowRankMultivariateNormal", true}, validate_args) {
  if (cov_factor.dim() < 2)
    fail<ValueError>(
        "cov_factor must be at least two-dimensional, with optional leading batch dimensions");
  check_event("LowRankMultivariateNormal", loc, cov_factor.size(-2));
  check_event("LowRankMultivariateNormal", cov_diag, cov_factor.size(-2));
  set_parameters({{"loc", loc, constraints::real_vector},
                  {"cov_factor", cov_factor, constraints::independent(constraints::real, 2)},
                  {"cov_diag", cov_diag, constraints::independent(constraints::positive, 1)}});
  set_shapes(batch_shape(), last(loc.shape(), 1));
  set_support(constraints::real_vector);
  validate();
}
Tensor LowRankMultivariateNormal::capacitance_tril() const {
  const Tensor scaled = cov_factor().mT() / cov_diag().unsqueeze(-2);
  return linalg::cholesky(scaled.matmul(cov_factor()) +
                          eye(cov_factor().size(-1), -1, options_of(loc())));
}
Tensor LowRankMultivariateNormal::covariance_matrix() const {
  return cov_factor().matmul(cov_factor().mT()) + cov_diag().diag_embed();
}
Tensor LowRankMultivariateNormal::precision_matrix() const {
  // Woodbury's formula.
  const Tensor scaled = cov_factor().mT() / cov_diag().unsqueeze(-2);
  const Tensor a = linalg::solve_triangular(capacitance_tril(), scaled, false);
  return cov_diag().reciprocal().diag_embed() - a.mT().matmul(a);
}
Tensor LowRankMultivariateNormal::scale_tril() const {
  return linalg::cholesky(covariance_matrix());
}
Tensor LowRankMultivariateNormal::mean() const { return loc(); }
Tensor LowRankMultivariateNormal::mode() const { return loc(); }
Tensor LowRankMultivariateNormal::variance() const {
  return cov_factor().square().sum({-1}) + cov_diag();
}
Tensor LowRankMultivariateNormal::entropy() const {
  const auto d = static_cast<double>(event_shape()[0]);
  return 0.5 * d * (1 + std::log(2 * kPi)) + half_log_det(capacitance_tril()) +
         0.5 * cov_diag().log().sum({-1});
}
Tensor LowRankMultivariateNormal::draw(const Shape& sample_shape,
                                       const Generator& generator) const {
  const Shape factor_shape = concat({sample_shape, batch_shape(), {cov_factor().size(-1)}});
  const Tensor eps_factor = standard_normal(factor_shape, loc(), generator);
  const Tensor eps_diag = standard_normal(extended_shape(sample_shape), loc(), generator);
  return loc() + batch_mv(cov_factor(), eps_factor) + cov_diag().sqrt() * eps_diag;
}
Tensor LowRankMultivariateNormal::compute_log_prob(const Tensor& value) const {
  const auto d = static_cast<double>(event_shape()[0]);
  const Tensor x = value - loc(), capacitance = capacitance_tril();
  const Tensor scaled = cov_factor().mT() / cov_diag().unsqueeze(-2);
  const Tensor distance =
      (x.square() / cov_diag()).sum({-1}) - mahalanobis(capacitance, batch_mv(scaled, x));
  const Tensor log_det = 2 * half_log_det(capacitance) + cov_diag().log().sum({-1});
  return -0.5 * (d * std::log(2 * kPi) + log_det + distance);
}

}  // namespace taper::distributions
