// TransformedDistribution: a distribution of transformed variables.
#pragma once
#include "taper/distributions/transforms.h"

namespace TAPER_API taper {
namespace distributions {

/// The distribution of transforms applied, the first one first, to a variable with a base
/// distribution. Batch dimensions become dimensions of the event as the transforms require. Throws
/// ValueError if the base has too few dimensions. PyTorch:
/// torch.distributions.TransformedDistribution.
class TransformedDistribution : public DistributionOf<TransformedDistribution> {
 public:
  TransformedDistribution(const AnyDistribution& base_distribution,
                          std::vector<AnyTransform> transforms,
                          std::optional<bool> validate_args = {});
  const Distribution& base_dist() const { return *base_; }
  const std::vector<AnyTransform>& transforms() const { return transforms_; }

 protected:
  /// Constructs the base of a derived class, whose constructor sets further parameters.
  TransformedDistribution(const DistributionInfo& info, const AnyDistribution& base_distribution,
                          std::vector<AnyTransform> transforms, std::optional<bool> validate_args);
  /// Restores the shapes after `set_parameters` of a derived class.
  void set_transformed_shapes();
  Tensor monotonize(const Tensor& probability) const;
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  Tensor compute_cdf(const Tensor& value) const override;
  Tensor compute_icdf(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;
  bool prints_parameters() const override { return false; }

 private:
  void set_base(const AnyDistribution& base);
  AnyDistribution base_;
  std::vector<AnyTransform> transforms_;
};

}  // namespace distributions
}  // namespace taper
