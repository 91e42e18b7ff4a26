#include "distributions/covariance.h"
#include "taper/autograd/grad_mode.h"
#include "taper/distributions/beta.h"
#include "taper/distributions/gamma.h"

namespace taper::distributions {
namespace {

/// Returns the derivative of mvlgamma(a, p).
Tensor multivariate_digamma(const Tensor& a, std::int64_t p) {
  return (a.unsqueeze(-1) - 0.5 * arange(p, options_of(a))).digamma().sum({-1});
}
Tensor as_matrix(const Tensor& number) { return number.unsqueeze(-1).unsqueeze(-1); }

}  // namespace

Wishart::Wishart(const TensorOrNumber& df, const CovarianceOptions& options, Validate validate_args)
    : DistributionOf({"Wishart", true}, validate_args) {
  const NamedMatrix m = matrix_of(options);
  const std::int64_t p = m.value.size(-1);
  set_parameters({{m.name, m.value, m.constraint()}, {"df", df, constraints::greater_than(p - 1)}});
  set_covariance_alternatives(
      m, [this](const char* n, const Constraint& c, std::size_t at) { set_alternative(n, c, at); },
      0);
  set_shapes(batch_shape(), {p, p});
  set_support(constraints::positive_definite);
  if (const NoGrad guard; !(this->df() > p - 1).all().item<bool>())
    fail<ValueError>("Value of df={} expected to be greater than ndim - 1 = {}.",
                     TensorOrNumber(df).str(), p - 1);
  validate();
  scale_tril_ = scale_tril_of(parameters()[0]);
}
Tensor Wishart::covariance_matrix() const { return scale_tril_.matmul(scale_tril_.mT()); }
Tensor Wishart::precision_matrix() const { return cholesky_inverse(scale_tril_); }
Tensor Wishart::mean() const { return as_matrix(df()) * covariance_matrix(); }
Tensor Wishart::mode() const {
  const Tensor factor = df() - static_cast<double>(event_shape()[0]) - 1;
  return as_matrix(where(factor <= 0, kNaN, factor)) * covariance_matrix();
}
Tensor Wishart::variance() const {
  const Tensor v = covariance_matrix(), diagonal = v.diagonal(0, -2, -1);
  return as_matrix(df()) * (v.square() + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2));
}
Tensor Wishart::entropy() const {
  const std::int64_t p = event_shape()[0];
  const auto n = static_cast<double>(p);
  return (n + 1) * (half_log_det(scale_tril_) + 0.5 * n * std::numbers::ln2) +
         mvlgamma(0.5 * df(), p) - 0.5 * (df() - n - 1) * multivariate_digamma(0.5 * df(), p) +
         0.5 * df() * n;
}
// Bartlett's decomposition. PyTorch takes valid samples for singular ones and draws them again: the
// same numbers are those of the second draw.
Tensor Wishart::draw(const Shape& sample_shape, const Generator& generator) const {
  const std::int64_t p = event_shape()[0];
  const Tensor freedom =
      df().unsqueeze(-1) - arange(p, options_of(df())).expand(concat({batch_shape(), {p}}));
  const Chi2 chi2(freedom, false);
  Shape shape = sample_shape;
  Tensor noise;
  for (int draw = 0; draw < 2; ++draw) {
    const Tensor diagonal =
        chi2.rsample(shape, generator).sqrt().clamp_min(finfo(df().dtype()).eps);
    const Shape below = concat({shape, batch_shape(), {p * (p - 1) / 2}});
    noise = vec_to_tril_matrix(standard_normal(below, df(), generator), -1) + diagonal.diag_embed();
    shape = {sample_shape.numel()};
  }
  const Tensor factor = scale_tril_.matmul(noise.reshape(extended_shape(sample_shape)));
  return factor.matmul(factor.mT());
}
Tensor Wishart::compute_log_prob(const Tensor& value) const {
  const std::int64_t p = event_shape()[0];
  const auto n = static_cast<double>(p);
  const Tensor& nu = df();
  const Tensor solved = cholesky_solve(value, scale_tril_);
  return -nu * (0.5 * n * std::numbers::ln2 + half_log_det(scale_tril_)) - mvlgamma(0.5 * nu, p) +
         0.5 * (nu - n - 1) * linalg::slogdet(value).second -
         0.5 * solved.diagonal(0, -2, -1).sum({-1});
}
std::vector<Tensor> Wishart::natural_params() const {
  return {-0.5 * precision_matrix(), 0.5 * (df() - static_cast<double>(event_shape()[0]) - 1)};
}
Tensor Wishart::log_normalizer(const std::vector<Tensor>& params) const {
  const std::int64_t p = event_shape()[0];
  const Tensor shape = params[1] + 0.5 * static_cast<double>(p + 1);
  return shape * -linalg::slogdet(-2 * params[0]).second +
         shape * (std::numbers::ln2 * static_cast<double>(p)) + mvlgamma(shape, p);
}
void Wishart::expand_to(const Shape& batch_shape) {
  Distribution::expand_to(batch_shape);
  scale_tril_ = scale_tril_.expand(concat({batch_shape, last(scale_tril_.shape(), 2)}));
}

LKJCholesky::LKJCholesky(IntArg dim, const TensorOrNumber& concentration, Validate validate_args)
    : DistributionOf({"LKJCholesky"}, validate_args), dim_(dim) {
  if (dim_ < 2)
    fail<ValueError>("Expected dim to be an integer greater than or equal to 2. Found dim={}.",
                     dim_);
  set_parameters({{"concentration", concentration, constraints::positive}});
  set_shapes(batch_shape(), {dim_, dim_});
  set_support(constraints::corr_cholesky);
  validate();
}
// The onion method of Lewandowski, Kurowicka and Joe (2009).
Tensor LKJCholesky::draw(const Shape& sample_shape, const Generator& generator) const {
  const Tensor& eta = concentration();
  const Tensor row = arange(dim_ - 1, options_of(eta));
  const Tensor offset = cat({full_as(eta, {1}, 0), row});
  const Tensor marginal = eta + 0.5 * static_cast<double>(dim_ - 2);
  const Beta beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset, false);
  const Tensor y = beta.sample(sample_shape, generator).unsqueeze(-1);
  const Tensor u = standard_normal(extended_shape(sample_shape), eta, generator).tril(-1);
  const Tensor direction = u / u.square().sum({-1}, true).sqrt();
  // The first row of u is zero and has no direction.
  const Tensor is_first = (arange(dim_) == 0).unsqueeze(-1);
  const Tensor w = y.sqrt() * where(is_first, 0.0, direction);
  const Tensor diagonal = (1 - w.square().sum({-1})).clamp_min(finfo(w.dtype()).tiny).sqrt();
  return w + diagonal.diag_embed();
}
Tensor LKJCholesky::compute_log_prob(const Tensor& value) const {
  const auto d = static_cast<double>(dim_), n = d - 1;
  const Tensor diagonal = value.diagonal(0, -2, -1).narrow(-1, 1, dim_ - 1);
  const Tensor order = 2 * (concentration() - 1).unsqueeze(-1) + d -
                       arange(2, dim_ + 1, 1, options_of(concentration()));
  const Tensor alpha = concentration() + 0.5 * n;
  const Tensor normalizer =
      0.5 * n * std::log(kPi) + mvlgamma(alpha - 0.5, dim_ - 1) - alpha.lgamma() * n;
  return (order * diagonal.log()).sum({-1}) - normalizer;
}

}  // namespace taper::distributions
