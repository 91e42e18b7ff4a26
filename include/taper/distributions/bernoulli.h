// Bernoulli distribution and related ones.
#pragma once
#include "taper/distributions/distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Bernoulli distribution of 0 and 1, which has the probability `probs`. Throws ValueError unless
/// exactly one of `probs` and `logits` is given. PyTorch: torch.distributions.Bernoulli.
class Bernoulli : public DistributionOf<Bernoulli, ExponentialFamily> {
 public:
  explicit Bernoulli(const TensorOrNumber& probs, std::optional<bool> validate_args = {});
  explicit Bernoulli(const ProbsOrLogits& parameters, std::optional<bool> validate_args = {});
  Tensor probs() const;
  Tensor logits() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;
  [[nodiscard]] std::vector<Tensor> natural_params() const override;
  Tensor log_normalizer(const std::vector<Tensor>& natural_params) const override;
  Tensor mean_carrier_measure() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;

 private:
  bool has_probs_ = true;
};

/// Continuous Bernoulli distribution on [0, 1] with density proportional to probs^x (1 - probs)^(1
/// - x) (Loaiza-Ganem and Cunningham, 2019). Between `lims`, a Taylor expansion is used. PyTorch:
/// torch.distributions.ContinuousBernoulli.
class ContinuousBernoulli : public DistributionOf<ContinuousBernoulli, ExponentialFamily> {
 public:
  explicit ContinuousBernoulli(const TensorOrNumber& probs, std::optional<bool> validate_args = {});
  explicit ContinuousBernoulli(const ProbsOrLogits& parameters,
                               std::pair<double, double> lims = {0.499, 0.501},
                               std::optional<bool> validate_args = {});
  Tensor probs() const;
  Tensor logits() const;
  Tensor mean() const override;
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

 private:
  Tensor cut_probs() const;
  Tensor is_stable() const;
  Tensor log_norm() const;
  bool has_probs_ = true;
  std::pair<double, double> lims_{0.499, 0.501};
};

/// Geometric distribution of the number of failures before the first success, which has the
/// probability `probs`. PyTorch: torch.distributions.Geometric.
class Geometric : public DistributionOf<Geometric> {
 public:
  explicit Geometric(const TensorOrNumber& probs, std::optional<bool> validate_args = {});
  explicit Geometric(const ProbsOrLogits& parameters, std::optional<bool> validate_args = {});
  Tensor probs() const;
  Tensor logits() const;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;

 private:
  bool has_probs_ = true;
};

}  // namespace distributions
}  // namespace taper
