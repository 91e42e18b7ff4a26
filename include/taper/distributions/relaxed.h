// Continuous relaxations of discrete distributions.
#pragma once
#include "taper/distributions/categorical.h"
#include "taper/distributions/transformed_distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Distribution of the logits of RelaxedBernoulli. PyTorch:
/// torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli.
class LogitRelaxedBernoulli : public DistributionOf<LogitRelaxedBernoulli> {
 public:
  LogitRelaxedBernoulli(const Tensor& temperature, const ProbsOrLogits& parameters,
                        std::optional<bool> validate_args = {});
  const Tensor& temperature() const { return temperature_; }
  Tensor probs() const;
  Tensor logits() const;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;

 private:
  Tensor temperature_;
  bool has_probs_ = true;
};

/// Continuous relaxation of a Bernoulli distribution to (0, 1) (Maddison et al., 2017; Jang et al.,
/// 2017), differentiable with respect to its parameters. PyTorch:
/// torch.distributions.RelaxedBernoulli.
class RelaxedBernoulli : public DistributionOf<RelaxedBernoulli, TransformedDistribution> {
 public:
  RelaxedBernoulli(const Tensor& temperature, const ProbsOrLogits& parameters,
                   std::optional<bool> validate_args = {});
  Tensor temperature() const;
  Tensor probs() const;
  Tensor logits() const;
  std::vector<DistributionParameter> parameters() const override;
};

/// Distribution of the logarithm of RelaxedOneHotCategorical. PyTorch:
/// torch.distributions.relaxed_categorical.ExpRelaxedCategorical.
class ExpRelaxedCategorical : public DistributionOf<ExpRelaxedCategorical> {
 public:
  ExpRelaxedCategorical(const Tensor& temperature, const ProbsOrLogits& parameters,
                        std::optional<bool> validate_args = {});
  const Tensor& temperature() const { return temperature_; }
  Tensor probs() const { return categorical_.probs(); }
  Tensor logits() const { return categorical_.logits(); }
  std::vector<DistributionParameter> parameters() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;
  bool prints_parameters() const override { return false; }

 private:
  Tensor temperature_;
  Categorical categorical_;
};

/// Continuous relaxation of OneHotCategorical to the simplex. PyTorch:
/// torch.distributions.RelaxedOneHotCategorical.
class RelaxedOneHotCategorical
    : public DistributionOf<RelaxedOneHotCategorical, TransformedDistribution> {
 public:
  RelaxedOneHotCategorical(const Tensor& temperature, const ProbsOrLogits& parameters,
                           std::optional<bool> validate_args = {});
  Tensor temperature() const;
  Tensor probs() const;
  Tensor logits() const;
  std::vector<DistributionParameter> parameters() const override;
};

}  // namespace distributions
}  // namespace taper
