// Distributions on the unit interval and the simplex.
#pragma once
#include "taper/distributions/transformed_distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Dirichlet distribution on the simplex `(K)`. `rsample` has the implicit gradient. PyTorch:
/// torch.distributions.Dirichlet.
class Dirichlet : public DistributionOf<Dirichlet, ExponentialFamily> {
 public:
  explicit Dirichlet(const Tensor& concentration, std::optional<bool> validate_args = {});
  const Tensor& concentration() const { return parameter(0); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;
  Tensor mean_carrier_measure() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
};

/// Beta distribution with density proportional to x^(concentration1 - 1) (1 - x)^(concentration0 -
/// 1). `rsample` has the implicit gradient. PyTorch: torch.distributions.Beta.
class Beta : public DistributionOf<Beta, ExponentialFamily> {
 public:
  Beta(const TensorOrNumber& concentration1, const TensorOrNumber& concentration0,
       std::optional<bool> validate_args = {});
  const Tensor& concentration1() const { return parameter(0); }
  const Tensor& concentration0() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;
  Tensor mean_carrier_measure() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  bool prints_parameters() const override { return false; }

 private:
  Dirichlet dirichlet() const;
};

/// Kumaraswamy distribution with the cumulative distribution function 1 - (1 -
/// x^concentration1)^concentration0. PyTorch: torch.distributions.Kumaraswamy.
class Kumaraswamy : public DistributionOf<Kumaraswamy, TransformedDistribution> {
 public:
  Kumaraswamy(const TensorOrNumber& concentration1, const TensorOrNumber& concentration0,
              std::optional<bool> validate_args = {});
  const Tensor& concentration1() const { return parameter(0); }
  const Tensor& concentration0() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  bool prints_parameters() const override { return true; }
};

}  // namespace distributions
}  // namespace taper
