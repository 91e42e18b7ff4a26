// Distributions of vectors and matrices.
#pragma once
#include "taper/distributions/distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Covariance matrix, its inverse or its lower Cholesky factor, `(..., D, D)`; exactly one is set.
struct CovarianceOptions {
  std::optional<Tensor> covariance_matrix{}, precision_matrix{}, scale_tril{};
};

/// Multivariate normal distribution of vectors `(D)`. Throws ValueError unless exactly one matrix
/// is given. PyTorch: torch.distributions.MultivariateNormal.
class MultivariateNormal : public DistributionOf<MultivariateNormal> {
 public:
  MultivariateNormal(const Tensor& loc, const CovarianceOptions& options,
                     std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  Tensor covariance_matrix() const;
  Tensor precision_matrix() const;
  const Tensor& scale_tril() const { return scale_tril_; }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;

 private:
  Tensor scale_tril_;
};

/// Multivariate normal distribution with the covariance matrix cov_factor cov_factor^T +
/// diag(cov_diag), for `cov_factor` `(..., D, R)` and `cov_diag` `(..., D)`. PyTorch:
/// torch.distributions.LowRankMultivariateNormal.
class LowRankMultivariateNormal : public DistributionOf<LowRankMultivariateNormal> {
 public:
  LowRankMultivariateNormal(const Tensor& loc, const Tensor& cov_factor, const Tensor& cov_diag,
                            std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& cov_factor() const { return parameter(1); }
  const Tensor& cov_diag() const { return parameter(2); }
  Tensor covariance_matrix() const;
  Tensor precision_matrix() const;
  Tensor scale_tril() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  /// Returns the Cholesky factor of I + cov_factor^T diag(cov_diag)^-1 cov_factor.
  Tensor capacitance_tril() const;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
};

/// Wishart distribution of positive definite matrices `(D, D)` with `df` > D - 1 degrees of
/// freedom. Throws ValueError unless exactly one matrix is given. PyTorch:
/// torch.distributions.Wishart.
class Wishart : public DistributionOf<Wishart, ExponentialFamily> {
 public:
  Wishart(const TensorOrNumber& df, const CovarianceOptions& options,
          std::optional<bool> validate_args = {});
  const Tensor& df() const { return parameter(1); }
  Tensor covariance_matrix() const;
  Tensor precision_matrix() const;
  const Tensor& scale_tril() const { return scale_tril_; }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;

 private:
  Tensor scale_tril_;
};

/// LKJ distribution of the lower Cholesky factors of correlation matrices `(dim, dim)`, with
/// density proportional to det^(concentration - 1) (Lewandowski, Kurowicka and Joe, 2009). Throws
/// ValueError if dim < 2. PyTorch: torch.distributions.LKJCholesky.
class LKJCholesky : public DistributionOf<LKJCholesky> {
 public:
  explicit LKJCholesky(IntArg dim, const TensorOrNumber& concentration = 1.0,
                       std::optional<bool> validate_args = {});
  std::int64_t dim() const { return dim_; }
  const Tensor& concentration() const { return parameter(0); }

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;

 private:
  std::int64_t dim_;
};

}  // namespace distributions
}  // namespace taper
