// Normal distribution and those derived from it.
#pragma once
#include "taper/distributions/transformed_distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Normal distribution with density exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi)). PyTorch:
/// torch.distributions.Normal.
class Normal : public DistributionOf<Normal, ExponentialFamily> {
 public:
  Normal(const TensorOrNumber& loc, const TensorOrNumber& scale,
         std::optional<bool> validate_args = {});
  const Tensor& loc() const { return parameter(0); }
  const Tensor& scale() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor stddev() const override;
  Tensor entropy() const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;
  Tensor mean_carrier_measure() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  Tensor compute_icdf(const Tensor& value) const override;
};

/// Distribution of exp(x) for a normal variable x. PyTorch: torch.distributions.LogNormal.
class LogNormal : public DistributionOf<LogNormal, TransformedDistribution> {
 public:
  LogNormal(const TensorOrNumber& loc, const TensorOrNumber& scale,
            std::optional<bool> validate_args = {});
  Tensor loc() const;
  Tensor scale() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  std::vector<DistributionParameter> parameters() const override;
};

/// Distribution of |x| for a normal variable x with mean 0. PyTorch:
/// torch.distributions.HalfNormal.
class HalfNormal : public DistributionOf<HalfNormal, TransformedDistribution> {
 public:
  explicit HalfNormal(const TensorOrNumber& scale, std::optional<bool> validate_args = {});
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

/// Distribution on the simplex `(K + 1)` of stick breaking applied to independent normal variables
/// `(K)`. PyTorch: torch.distributions.LogisticNormal.
class LogisticNormal : public DistributionOf<LogisticNormal, TransformedDistribution> {
 public:
  LogisticNormal(const TensorOrNumber& loc, const TensorOrNumber& scale,
                 std::optional<bool> validate_args = {});
  Tensor loc() const;
  Tensor scale() const;
  std::vector<DistributionParameter> parameters() const override;
};

}  // namespace distributions
}  // namespace taper
