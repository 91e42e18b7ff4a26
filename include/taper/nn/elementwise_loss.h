// Losses of elements.
#pragma once
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/nn/functional/elementwise_loss.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using BCELossOptions = functional::BinaryCrossEntropyFuncOptions;

/// Computes the binary cross entropy -weight * (y * log(x) + (1 - y) * log(1 - x)) of probabilities
/// x and targets y of the same shape; logarithms are at least -100. PyTorch: torch.nn.BCELoss.
class BCELoss : public Layer<BCELoss> {
 public:
  explicit BCELoss(const BCELossOptions& options = {});
  explicit BCELoss(detail::NoOptions) : BCELoss(BCELossOptions{}) {}

  std::optional<Buffer> weight;  ///< broadcast to the input
  std::string reduction;
  TAPER_LAYER(BCELoss)

  /// Returns the loss; a scalar unless `reduction` is "none". Throws the errors of
  /// functional::binary_cross_entropy.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using BCEWithLogitsLossOptions = functional::BinaryCrossEntropyWithLogitsFuncOptions;

/// Computes the binary cross entropy -weight * (pos_weight * y * log(sigmoid(x)) + (1 - y) *
/// log(sigmoid(-x))) of logits x and targets y of the same shape, in a numerically stable way.
/// PyTorch: torch.nn.BCEWithLogitsLoss.
class BCEWithLogitsLoss : public Layer<BCEWithLogitsLoss> {
 public:
  explicit BCEWithLogitsLoss(const BCEWithLogitsLossOptions& options = {});
  explicit BCEWithLogitsLoss(detail::NoOptions) : BCEWithLogitsLoss(BCEWithLogitsLossOptions{}) {}

  std::string reduction;
  std::optional<Buffer> weight, pos_weight;
  TAPER_LAYER(BCEWithLogitsLoss)

  /// Returns the loss; a scalar unless `reduction` is "none". Throws the errors of
  /// functional::binary_cross_entropy_with_logits.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

/// Options of HuberLoss.
struct HuberLossOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  FloatArg delta = 1.0;  ///< difference at which the loss changes from squared to absolute
  TAPER_OPTIONS(reduction, delta)
};

/// Computes d^2 / 2 if |d| <= delta, otherwise delta * (|d| - delta / 2), for d = input - target.
/// PyTorch: torch.nn.HuberLoss.
class HuberLoss : public Layer<HuberLoss, Configured<HuberLossOptions>> {
 public:
  explicit HuberLoss(const HuberLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(HuberLoss)
  /// Returns the loss; a scalar unless `reduction` is "none". Throws ValueError if delta is not
  /// positive.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using KLDivLossOptions = functional::KLDivFuncOptions;

/// Computes the Kullback-Leibler divergence target * (log(target) - input) of log-probabilities
/// `input` and probabilities `target`. PyTorch: torch.nn.KLDivLoss.
class KLDivLoss : public Layer<KLDivLoss, Configured<KLDivLossOptions>> {
 public:
  explicit KLDivLoss(const KLDivLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(KLDivLoss)
  /// Returns the loss; a scalar unless `reduction` is "none". Throws the errors of
  /// functional::kl_div.
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using PoissonNLLLossOptions = functional::PoissonNLLLossFuncOptions;

/// Computes the negative log likelihood of counts under Poisson distributions: exp(input) - target
/// * input if `log_input` is set, otherwise input - target * log(input + eps).
/// PyTorch: torch.nn.PoissonNLLLoss.
class PoissonNLLLoss : public Layer<PoissonNLLLoss, Configured<PoissonNLLLossOptions>> {
 public:
  explicit PoissonNLLLoss(const PoissonNLLLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(PoissonNLLLoss)
  static constexpr const char* forward_signature = "log_input, target";
  /// Returns the loss; a scalar unless `reduction` is "none".
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

using GaussianNLLLossOptions = functional::GaussianNLLLossFuncOptions;

/// Computes the negative log likelihood (log(var) + (input - target)^2 / var) / 2 of targets under
/// normal distributions with the expectation `input` and variance `var`.
/// PyTorch: torch.nn.GaussianNLLLoss.
class GaussianNLLLoss : public Layer<GaussianNLLLoss, Configured<GaussianNLLLossOptions>> {
 public:
  explicit GaussianNLLLoss(const GaussianNLLLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(GaussianNLLLoss)
  static constexpr const char* forward_signature = "input, target, var";
  /// Returns the loss; a scalar unless `reduction` is "none". `var` has the shape of the input,
  /// possibly with one dimension of size 1 or without the last dimension. Throws ValueError for
  /// another shape and for a negative variance.
  Tensor forward(const Tensor& input, const Tensor& target, const Tensor& var) const;
};

using SoftMarginLossOptions = functional::SoftMarginLossFuncOptions;

/// Computes log(1 + exp(-target * input)) for targets 1 and -1. PyTorch: torch.nn.SoftMarginLoss.
class SoftMarginLoss : public Layer<SoftMarginLoss, Configured<SoftMarginLossOptions>> {
 public:
  explicit SoftMarginLoss(const SoftMarginLossOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(SoftMarginLoss)
  /// Returns the loss; a scalar unless `reduction` is "none".
  Tensor forward(const Tensor& input, const Tensor& target) const;
};

}  // namespace nn
}  // namespace taper
