// MixtureSameFamily: mixtures of distributions of one family.
#pragma once
#include "taper/distributions/categorical.h"

namespace TAPER_API taper {
namespace distributions {

/// Mixture of distributions of one family: the last batch dimension of `component_distribution` is
/// that of the categories. Throws ValueError if the numbers of categories differ. PyTorch:
/// torch.distributions.MixtureSameFamily.
class MixtureSameFamily : public DistributionOf<MixtureSameFamily> {
 public:
  MixtureSameFamily(const Categorical& mixture_distribution,
                    const AnyDistribution& component_distribution,
                    std::optional<bool> validate_args = {});
  const Categorical& mixture_distribution() const { return mixture_; }
  const Distribution& component_distribution() const { return *component_; }
  Tensor mean() const override;
  Tensor variance() const override;
  std::string str() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;

 private:
  Tensor pad(const Tensor& x) const;
  Tensor padded_probs() const;
  Categorical mixture_;
  AnyDistribution component_;
};

}  // namespace distributions
}  // namespace taper
