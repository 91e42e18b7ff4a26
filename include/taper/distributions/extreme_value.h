// Distributions of extreme values.
#pragma once
#include "taper/distributions/transformed_distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Pareto distribution of type 1 with density alpha scale^alpha / x^(alpha + 1) for x >= scale.
/// PyTorch: torch.distributions.Pareto.
class Pareto : public DistributionOf<Pareto, TransformedDistribution> {
 public:
  Pareto(const TensorOrNumber& scale, const TensorOrNumber& alpha,
         std::optional<bool> validate_args = {});
  const Tensor& alpha() const { return parameter(0); }
  const Tensor& scale() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  bool prints_parameters() const override { return true; }
};

/// Weibull distribution with the cumulative distribution function 1 - exp(-(x /
/// scale)^concentration). PyTorch: torch.distributions.Weibull.
class Weibull : public DistributionOf<Weibull, TransformedDistribution> {
 public:
  Weibull(const TensorOrNumber& scale, const TensorOrNumber& concentration,
          std::optional<bool> validate_args = {});
  const Tensor& scale() const { return parameter(0); }
  const Tensor& concentration() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  bool prints_parameters() const override { return true; }
};

/// Generalized Pareto distribution with the cumulative distribution function 1 - (1 + concentration
/// z)^(-1 / concentration), z = (x - loc) / scale. PyTorch: torch.distributions.GeneralizedPareto.
class GeneralizedPareto : public DistributionOf<GeneralizedPareto> {
 public:
  GeneralizedPareto(const TensorOrNumber& loc, const TensorOrNumber& scale,
                    const TensorOrNumber& concentration, std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& scale() const { return parameter(1); }
  const Tensor& concentration() const { return parameter(2); }
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

}  // namespace distributions
}  // namespace taper
