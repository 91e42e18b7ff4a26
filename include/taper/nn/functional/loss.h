// Loss functions. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of nll_loss and nn::NLLLoss.
struct NLLLossFuncOptions {
  OptionalTensor weight{};         ///< class weights `(C)`; default: all 1
  IntArg ignore_index = -100;      ///< target value that does not contribute to the loss
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  TAPER_OPTIONS(weight, ignore_index, reduction)
};
/// Computes the negative log likelihood -weight[target] * input[target] of class indices `target`
/// (i64 or u8), for log-probabilities `input` of shape `(C)`, `(N, C)` or `(N, C, d1, ...)`;
/// `target` has the same shape without C. "mean" divides by the sum of the weights. Throws
/// ShapeError if shapes do not match, DTypeError if a dtype is not supported, and IndexError for a
/// target out of range. PyTorch: torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});

/// Options of cross_entropy and nn::CrossEntropyLoss.
struct CrossEntropyFuncOptions {
  OptionalTensor weight{};         ///< class weights `(C)`; default: all 1
  IntArg ignore_index = -100;      ///< target value that does not contribute to the loss
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  /// Probability mass of each target that is distributed evenly over all classes.
  FloatArg label_smoothing = 0;
  TAPER_OPTIONS(weight, ignore_index, reduction, label_smoothing)
};
/// Computes nll_loss(log_softmax(input), target) for scores `input` of shape `(C)`, `(N, C)` or
/// `(N, C, d1, ...)`. `target` contains class indices as for nll_loss, or, in the shape of the
/// input, class probabilities, to which `ignore_index` does not apply. Throws ValueError if
/// label_smoothing is not in [0, 1], and the errors of nll_loss.
/// PyTorch: torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options = {});

/// Options of mse_loss.
struct MSELossFuncOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  OptionalTensor weight{};         ///< of the elements, in the shape of the input; default: all 1
};
/// Computes the squared error (input - target)^2, reduced over all elements. Different shapes are
/// broadcast, with a warning. With weights, "mean" divides by their sum.
/// PyTorch: torch.nn.functional.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});

using L1LossFuncOptions = MSELossFuncOptions;
/// Computes the absolute error |input - target|, reduced over all elements. Different shapes are
/// broadcast, with a warning. With weights, "mean" divides by their sum.
/// PyTorch: torch.nn.functional.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});

/// Options of smooth_l1_loss and nn::SmoothL1Loss.
struct SmoothL1LossFuncOptions {
  std::string reduction = "mean";  ///< "mean", "sum" or "none"
  FloatArg beta = 1.0;  ///< difference at which the loss changes from squared to absolute
  TAPER_OPTIONS(reduction, beta)
};
/// Computes d^2 / (2 beta) if |d| < beta, otherwise |d| - beta / 2, for d = input - target, reduced
/// over all elements (Girshick, 2015). beta = 0 is equivalent to l1_loss. Different shapes are
/// broadcast, with a warning. Throws ValueError if beta is negative.
/// PyTorch: torch.nn.functional.smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options = {});

}  // namespace nn::functional
}  // namespace taper
