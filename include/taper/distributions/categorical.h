// Distributions of categories.
#pragma once
#include "taper/distributions/distribution.h"

namespace TAPER_API taper {
namespace distributions {

/// Categorical distribution of the indices 0 to K - 1 with the probabilities `(..., K)`, which are
/// normalized. Samples are i64. Mean and variance are NaN. PyTorch:
/// torch.distributions.Categorical.
class Categorical : public DistributionOf<Categorical> {
 public:
  explicit Categorical(const TensorOrNumber& probs, std::optional<bool> validate_args = {});
  explicit Categorical(const ProbsOrLogits& parameters, std::optional<bool> validate_args = {});
  Tensor probs() const;
  Tensor logits() const;
  std::int64_t num_events() const { return parameter(0).size(-1); }
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

/// Categorical distribution of vectors `(K)` with a single 1. PyTorch:
/// torch.distributions.OneHotCategorical.
class OneHotCategorical : public DistributionOf<OneHotCategorical> {
 public:
  explicit OneHotCategorical(const TensorOrNumber& probs, std::optional<bool> validate_args = {});
  explicit OneHotCategorical(const ProbsOrLogits& parameters,
                             std::optional<bool> validate_args = {});
  const Categorical& categorical() const { return categorical_; }
  Tensor probs() const { return categorical_.probs(); }
  Tensor logits() const { return categorical_.logits(); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;
  std::vector<DistributionParameter> parameters() const override;

 protected:
  OneHotCategorical(const DistributionInfo& info, const ProbsOrLogits& parameters,
                    std::optional<bool> validate_args);
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;
  bool prints_parameters() const override { return false; }

 private:
  Categorical categorical_;
};

/// OneHotCategorical whose samples have the gradient of the probabilities (Bengio et al., 2013).
/// PyTorch: torch.distributions.OneHotCategoricalStraightThrough.
class OneHotCategoricalStraightThrough
    : public DistributionOf<OneHotCategoricalStraightThrough, OneHotCategorical> {
 public:
  explicit OneHotCategoricalStraightThrough(const TensorOrNumber& probs,
                                            std::optional<bool> validate_args = {});
  explicit OneHotCategoricalStraightThrough(const ProbsOrLogits& parameters,
                                            std::optional<bool> validate_args = {});

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
};

/// Distribution of the counts `(K)` of categories in `total_count` draws. Throws ValueError if the
/// number is negative. PyTorch: torch.distributions.Multinomial.
class Multinomial : public DistributionOf<Multinomial> {
 public:
  Multinomial(IntArg total_count, const TensorOrNumber& probs,
              std::optional<bool> validate_args = {});
  Multinomial(IntArg total_count, const ProbsOrLogits& parameters,
              std::optional<bool> validate_args = {});
  std::int64_t total_count() const { return total_count_; }
  Tensor probs() const { return categorical_.probs(); }
  Tensor logits() const { return categorical_.logits(); }
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  std::vector<DistributionParameter> parameters() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const Generator& generator) const override;
  Tensor compute_log_prob(const Tensor& value) const override;
  void expand_to(const Shape& batch_shape) override;
  bool prints_parameters() const override { return false; }

 private:
  std::int64_t total_count_;
  Categorical categorical_;
};

}  // namespace distributions
}  // namespace taper
