// Losses. `reduction` is "mean", "sum" or "none"; ValueError for anything else.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

struct NllLossOptions {
  std::optional<Tensor> weight{};  ///< of the classes `(C)`; default: all 1
  IntArg ignore_index = -100;      ///< targets that count nothing
  std::string reduction = "mean";
};

/// -weight[target] * input[target] of log-probabilities `input` `(C)`, `(N, C)` or
/// `(N, C, d1, ...)` for class indices `target` of the same shape without C. "mean" divides by the
/// sum of the weights. PyTorch: F.nll_loss. Throws as taper::nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const NllLossOptions& options = {});

struct CrossEntropyOptions {
  std::optional<Tensor> weight{};
  IntArg ignore_index = -100;
  std::string reduction = "mean";
  FloatArg label_smoothing = 0;  ///< the share of each target given to all classes alike
};

/// nll_loss of log_softmax of the scores `input`; `target` holds class indices, or, in the shape of
/// the input, probabilities. PyTorch: F.cross_entropy. Throws ValueError for a smoothing outside of
/// [0, 1], else as taper::cross_entropy.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options = {});

/// The squared differences of `input` and `target`, brought together by `reduction`. Shapes that
/// differ broadcast, with a warning. `weight`, of the shape of the input, weighs each element;
/// "mean" divides by its sum then. PyTorch: F.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
                OptionalTensorRef weight = {});
/// The same of the absolute differences. PyTorch: F.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
               OptionalTensorRef weight = {});
/// The same of d^2 / (2 beta) for differences d below beta, of |d| - beta / 2 for others; beta 0 is
/// l1_loss (Girshick 2015). PyTorch: F.smooth_l1_loss. Throws ValueError for a negative beta.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const std::string& reduction = "mean", FloatArg beta = 1.0);

}  // namespace nn::functional
}  // namespace taper
