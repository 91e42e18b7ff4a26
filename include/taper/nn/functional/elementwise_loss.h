// Losses of elements. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <concepts>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of binary_cross_entropy and nn::BCELoss.
struct BinaryCrossEntropyFuncOptions {
  OptionalTensor weight{};         ///< broadcast to the input; default: all 1
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(weight, reduction)
};
/// Computes -weight * (target * log(input) + (1 - target) * log(1 - input)) of probabilities
/// `input` and `target`. Logarithms are at least -100. Throws ValueError if the shapes of input and
/// target differ or an element is not in [0, 1], DTypeError if the dtypes differ.
/// PyTorch: torch.nn.functional.binary_cross_entropy.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options = {});

/// Options of binary_cross_entropy_with_logits and nn::BCEWithLogitsLoss.
struct BinaryCrossEntropyWithLogitsFuncOptions {
  OptionalTensor weight{};         ///< broadcast to the input; default: all 1
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  OptionalTensor pos_weight{};     ///< of the positive targets, broadcast to the input
  TAPER_OPTIONS(weight, reduction, pos_weight)
};
/// As taper::binary_cross_entropy_with_logits, but also throws ValueError if the shapes of input
/// and target differ. PyTorch: torch.nn.functional.binary_cross_entropy_with_logits.
Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {});

/// Options of huber_loss.
struct HuberLossFuncOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  FloatArg delta = 1.0;     ///< difference at which the loss changes from squared to absolute
  OptionalTensor weight{};  ///< of the elements, in the shape of the input; default: all 1
};
/// Computes d^2 / 2 if |d| <= delta, otherwise delta * (|d| - delta / 2), for d = input - target.
/// Different shapes are broadcast, with a warning. "mean" divides by the number of elements, also
/// with weights. Throws ValueError if delta is not positive.
/// PyTorch: torch.nn.functional.huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target,
                  const HuberLossFuncOptions& options = {});

/// Options of kl_div and nn::KLDivLoss.
struct KLDivFuncOptions {
  /// "mean", "batchmean" (the sum divided by the size of dimension 0), "sum" or "none".
  std::string reduction = "mean";
  bool log_target = false;  ///< targets are log-probabilities
  TAPER_OPTIONS(reduction, log_target)
};
/// As taper::kl_div, with the reduction "batchmean" in addition. "mean", which divides by the
/// number of elements, causes a warning. PyTorch: torch.nn.functional.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});

/// Options of poisson_nll_loss and nn::PoissonNLLLoss.
struct PoissonNLLLossFuncOptions {
  bool log_input = true;           ///< the input is the logarithm of the expectation
  bool full = false;               ///< adds Stirling's approximation of log(target!)
  FloatArg eps = 1e-8;             ///< added to the input before its logarithm
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(log_input, full, eps, reduction)
};
/// Computes the negative log likelihood of counts under Poisson distributions; see
/// taper::poisson_nll_loss. PyTorch: torch.nn.functional.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& options = {});

/// Options of gaussian_nll_loss and nn::GaussianNLLLoss.
struct GaussianNLLLossFuncOptions {
  bool full = false;               ///< adds the constant log(2 pi) / 2
  FloatArg eps = 1e-6;             ///< minimum variance
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(full, eps, reduction)
};
/// Computes the negative log likelihood of `target` under normal distributions with the
/// expectation `input` and variance `var`: (log(var) + (input - target)^2 / var) / 2, where var is
/// at least `eps`. `var` has the shape of the input, possibly with one dimension of size 1 or
/// without the last dimension. Throws ValueError for another shape and for a negative variance.
/// PyTorch: torch.nn.functional.gaussian_nll_loss.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                         const GaussianNLLLossFuncOptions& options = {});

}  // namespace nn::functional
namespace nn::detail {
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, double var,
                         const functional::GaussianNLLLossFuncOptions& options);
}  // namespace nn::detail
namespace nn::functional {

/// As gaussian_nll_loss above, with the same variance for all elements. A template, which braces in
/// place of the variance do not match.
template <std::convertible_to<FloatArg> N>
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, N var,
                         const GaussianNLLLossFuncOptions& options = {}) {
  return nn::detail::gaussian_nll_loss(input, target, FloatArg(var), options);
}

/// Options of soft_margin_loss and nn::SoftMarginLoss.
struct SoftMarginLossFuncOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(reduction)
};
/// Computes log(1 + exp(-target * input)) for targets 1 and -1. Unlike in PyTorch, a large product
/// does not overflow. PyTorch: torch.nn.functional.soft_margin_loss.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
