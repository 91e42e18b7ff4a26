// Loss functions. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of nll_loss.
struct NllLossOptions {
  std::optional<Tensor> weight{};  ///< class weights `(C)`; default: all 1
  IntArg ignore_index = -100;      ///< target value that does not contribute to the loss
  std::string reduction = "mean";
};

/// Computes the negative log likelihood -weight[target] * input[target] of class indices `target`,
/// for log-probabilities `input` of shape `(C)`, `(N, C)` or `(N, C, d1, ...)`; `target` has the
/// same shape without C. "mean" divides by the sum of the weights. Throws the errors of
/// taper::nll_loss. PyTorch: torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const NllLossOptions& options = {});

/// Options of cross_entropy.
struct CrossEntropyOptions {
  /// Class weights `(C)`; default: all 1.
  std::optional<Tensor> weight{};
  /// Target value that does not contribute to the loss.
  IntArg ignore_index = -100;
  std::string reduction = "mean";
  /// Probability mass of each target that is distributed evenly over all classes.
  FloatArg label_smoothing = 0;
};

/// Computes nll_loss(log_softmax(input), target) for scores `input` of shape `(C)`, `(N, C)` or
/// `(N, C, d1, ...)`. `target` contains class indices, or probabilities if it has the shape of the
/// input. Throws ValueError if label_smoothing is not in [0, 1], and the errors of
/// taper::cross_entropy. PyTorch: torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options = {});

/// Computes the squared error (input - target)^2, reduced over all elements. Different shapes are
/// broadcast, with a warning. `weight`, of the shape of the input, weights the elements; "mean"
/// then divides by the sum of the weights. PyTorch: torch.nn.functional.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
                OptionalTensorRef weight = {});
/// Computes the absolute error |input - target|, reduced over all elements. Different shapes are
/// broadcast, with a warning. `weight`, of the shape of the input, weights the elements; "mean"
/// then divides by the sum of the weights. PyTorch: torch.nn.functional.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
               OptionalTensorRef weight = {});
/// Computes d^2 / (2 beta) if |d| < beta, otherwise |d| - beta / 2, for d = input - target, reduced
/// over all elements (Girshick, 2015). beta = 0 is equivalent to l1_loss. Different shapes are
/// broadcast, with a warning. Throws ValueError if beta is negative.
/// PyTorch: torch.nn.functional.smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const std::string& reduction = "mean", FloatArg beta = 1.0);

}  // namespace nn::functional
}  // namespace taper
