// Independent: reinterprets batch dimensions as event dimensions.
#pragma once
#include "taper/distributions/distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Treats the last `reinterpreted_batch_ndims` batch dimensions of a distribution as dimensions of
/// the event, over which log-probabilities are summed. Throws ValueError if the base has fewer
/// batch dimensions. PyTorch: torch.distributions.Independent.
class Independent : public DistributionOf<Independent> {
 public:
  Independent(const AnyDistribution& base_distribution, IntArg reinterpreted_batch_ndims,
              std::optional<bool> validate_args = {});
  const Distribution& base_dist() const { return *base_; }
  std::int64_t reinterpreted_batch_ndims() const { return ndims_; }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;
  std::string str() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;

 private:
  AnyDistribution base_;
  std::int64_t ndims_;
};

}  // namespace distributions
}  // namespace taper
