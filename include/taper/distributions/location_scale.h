// Distributions with a location and a scale.
#pragma once
#include "taper/distributions/transformed_distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Laplace distribution with density exp(-|x - loc| / scale) / (2 scale). PyTorch:
/// torch.distributions.Laplace.
class Laplace : public DistributionOf<Laplace> {
 public:
  Laplace(const TensorOrNumber& loc, const TensorOrNumber& scale,
          std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& scale() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor stddev() const override;
  Tensor entropy() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  Tensor compute_icdf(const Tensor& value) const override;
};

/// Cauchy distribution with density 1 / (pi scale (1 + ((x - loc) / scale)^2)). The mean is NaN,
/// the variance infinite. PyTorch: torch.distributions.Cauchy.
class Cauchy : public DistributionOf<Cauchy> {
 public:
  Cauchy(const TensorOrNumber& loc, const TensorOrNumber& scale,
         std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& scale() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  Tensor compute_icdf(const Tensor& value) const override;
};

/// Distribution of |x| for a Cauchy variable x with median 0. PyTorch:
/// torch.distributions.HalfCauchy.
class HalfCauchy : public DistributionOf<HalfCauchy, TransformedDistribution> {
 public:
  explicit HalfCauchy(const TensorOrNumber& scale, std::optional<bool> validate_args = {});
  Tensor scale() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  std::vector<DistributionParameter> parameters() const override;

 protected:
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  Tensor compute_icdf(const Tensor& value) const override;
};

/// Gumbel distribution with the cumulative distribution function exp(-exp(-(x - loc) / scale)).
/// PyTorch: torch.distributions.Gumbel.
class Gumbel : public DistributionOf<Gumbel, TransformedDistribution> {
 public:
  Gumbel(const TensorOrNumber& loc, const TensorOrNumber& scale,
         std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& scale() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor stddev() const override;
  Tensor entropy() const override;

 protected:
  bool prints_parameters() const override { return true; }
  Tensor compute_log_prob(const Tensor& value) const override;
};

/// Uniform distribution on [low, high). PyTorch: torch.distributions.Uniform.
class Uniform : public DistributionOf<Uniform> {
 public:
  Uniform(const TensorOrNumber& low, const TensorOrNumber& high,
          std::optional<bool> validate_args = {});
  const Tensor& low() const { return parameter(0); }
  const Tensor& high() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor stddev() const override;
  Tensor entropy() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  Tensor compute_icdf(const Tensor& value) const override;
};

/// Von Mises distribution of angles in [-pi, pi) with density proportional to exp(concentration
/// cos(x - loc)). PyTorch: torch.distributions.VonMises.
class VonMises : public DistributionOf<VonMises> {
 public:
  VonMises(const TensorOrNumber& loc, const TensorOrNumber& concentration,
           std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& concentration() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
};

}  // namespace distributions
}  // namespace taper
