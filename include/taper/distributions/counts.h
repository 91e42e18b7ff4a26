// Distributions of counts.
#pragma once
#include "taper/distributions/distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Binomial distribution of the number of successes in `total_count` trials. PyTorch:
/// torch.distributions.Binomial.
class Binomial : public DistributionOf<Binomial> {
 public:
  Binomial(const TensorOrNumber& total_count, const TensorOrNumber& probs,
           std::optional<bool> validate_args = {});
  Binomial(const TensorOrNumber& total_count, const ProbsOrLogits& parameters,
           std::optional<bool> validate_args = {});
  const Tensor& total_count() const { return parameter(0); }
  Tensor probs() const;
  Tensor logits() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;

 private:
  bool has_probs_ = true;
};

/// Negative binomial distribution of the number of successes before `total_count` failures.
/// PyTorch: torch.distributions.NegativeBinomial.
class NegativeBinomial : public DistributionOf<NegativeBinomial> {
 public:
  NegativeBinomial(const TensorOrNumber& total_count, const TensorOrNumber& probs,
                   std::optional<bool> validate_args = {});
  NegativeBinomial(const TensorOrNumber& total_count, const ProbsOrLogits& parameters,
                   std::optional<bool> validate_args = {});
  const Tensor& total_count() const { return parameter(0); }
  Tensor probs() const;
  Tensor logits() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;

 private:
  bool has_probs_ = true;
};

/// Poisson distribution with probabilities rate^k exp(-rate) / k!. PyTorch:
/// torch.distributions.Poisson.
class Poisson : public DistributionOf<Poisson, ExponentialFamily> {
 public:
  explicit Poisson(const TensorOrNumber& rate, std::optional<bool> validate_args = {});
  const Tensor& rate() const { return parameter(0); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
};

}  // namespace distributions
}  // namespace taper
