// Gamma distribution and those derived from it.
#pragma once
#include "taper/distributions/transformed_distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Gamma distribution with density rate^concentration x^(concentration - 1) exp(-rate x) /
/// Gamma(concentration). `rsample` has the implicit gradient with respect to the concentration.
/// PyTorch: torch.distributions.Gamma.
class Gamma : public DistributionOf<Gamma, ExponentialFamily> {
 public:
  Gamma(const TensorOrNumber& concentration, const TensorOrNumber& rate,
        std::optional<bool> validate_args = {});
  const Tensor& concentration() const { return parameter(0); }
  const Tensor& rate() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;
  Tensor mean_carrier_measure() const override;

 protected:
  Gamma(const DistributionInfo& info, const TensorOrNumber& concentration,
        const TensorOrNumber& rate, std::optional<bool> validate_args);
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
};

/// Chi-squared distribution with `df` degrees of freedom: Gamma(df / 2, 1 / 2). PyTorch:
/// torch.distributions.Chi2.
class Chi2 : public DistributionOf<Chi2, Gamma> {
 public:
  explicit Chi2(const TensorOrNumber& df, std::optional<bool> validate_args = {});
  Tensor df() const { return concentration() * 2; }
  std::vector<DistributionParameter> parameters() const override;

 protected:
  bool prints_parameters() const override { return false; }
};

/// Exponential distribution with density rate exp(-rate x). PyTorch:
/// torch.distributions.Exponential.
class Exponential : public DistributionOf<Exponential, ExponentialFamily> {
 public:
  explicit Exponential(const TensorOrNumber& rate, std::optional<bool> validate_args = {});
  const Tensor& rate() const { return parameter(0); }
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

/// Distribution of 1 / x for a gamma variable x. PyTorch: torch.distributions.InverseGamma.
class InverseGamma : public DistributionOf<InverseGamma, TransformedDistribution> {
 public:
  InverseGamma(const TensorOrNumber& concentration, const TensorOrNumber& rate,
               std::optional<bool> validate_args = {});
  Tensor concentration() const;
  Tensor rate() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  std::vector<DistributionParameter> parameters() const override;
};

/// Fisher-Snedecor distribution with `df1` and `df2` degrees of freedom. PyTorch:
/// torch.distributions.FisherSnedecor.
class FisherSnedecor : public DistributionOf<FisherSnedecor> {
 public:
  FisherSnedecor(const TensorOrNumber& df1, const TensorOrNumber& df2,
                 std::optional<bool> validate_args = {});
  const Tensor& df1() const { return parameter(0); }
  const Tensor& df2() const { return parameter(1); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
};

/// Student's t-distribution with `df` degrees of freedom. PyTorch: torch.distributions.StudentT.
class StudentT : public DistributionOf<StudentT> {
 public:
  explicit StudentT(const TensorOrNumber& df, const TensorOrNumber& loc = 0.0,
                    const TensorOrNumber& scale = 1.0, std::optional<bool> validate_args = {});
  const Tensor& df() const { return parameter(0); }
  const Tensor& loc() const { return parameter(1); }
  const Tensor& scale() const { return parameter(2); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
};

}  // namespace distributions
}  // namespace taper
