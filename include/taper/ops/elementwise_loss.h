// Losses of elements. `reduction` is "mean", "sum" or "none"; any other value throws ValueError.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"

namespace TAPER_API taper {
class Tensor;

/// Computes -weight * (target * log(input) + (1 - target) * log(1 - input)) of probabilities
/// `input` and `target`. Logarithms are at least -100. `weight` is broadcast to the input. Throws
/// ValueError if the shapes of input and target differ or an element is not in [0, 1], DTypeError
/// if the dtypes differ. PyTorch: torch.nn.functional.binary_cross_entropy.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            OptionalTensorRef weight = {}, const std::string& reduction = "mean");
/// Computes -weight * (pos_weight * target * log(sigmoid(input)) + (1 - target) *
/// log(sigmoid(-input))) of logits `input` and probabilities `target` in a numerically stable way.
/// `weight` and `pos_weight` are broadcast to the input. Throws NotImplementedError or DTypeError
/// for dtypes that are not floating-point, ShapeError if shapes cannot be broadcast.
/// PyTorch: torch.binary_cross_entropy_with_logits.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        OptionalTensorRef weight = {},
                                        OptionalTensorRef pos_weight = {},
                                        const std::string& reduction = "mean");
/// Computes target * (log(target) - input) for log-probabilities `input` and probabilities
/// `target`, or exp(target) * (target - input) if `log_target` is set. Elements with target 0
/// are 0. Throws DTypeError for integers. PyTorch: torch.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
              bool log_target = false);
/// Computes the negative log likelihood of counts `target` under Poisson distributions:
/// exp(input) - target * input if `log_input` is set, otherwise input - target * log(input + eps).
/// `full` adds Stirling's approximation of log(target!), target * log(target) - target + log(2 pi
/// target) / 2, for targets greater than 1. PyTorch: torch.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true,
                        bool full = false, FloatArg eps = 1e-8,
                        const std::string& reduction = "mean");
/// Computes, for d = input - target, d^2 / (2 beta) if |d| < beta, otherwise |d| - beta / 2. Throws
/// NotImplementedError unless both are floating-point tensors. PyTorch: aten::smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const std::string& reduction = "mean", FloatArg beta = 1.0);
/// Computes, for d = input - target, d^2 / 2 if |d| < delta, otherwise delta * (|d| - delta / 2).
/// Throws NotImplementedError unless both are floating-point tensors. PyTorch: aten::huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target, const std::string& reduction = "mean",
                  FloatArg delta = 1.0);
/// Computes log(1 + exp(-target * input)) for targets 1 and -1. Unlike in PyTorch, a large product
/// does not overflow. PyTorch: torch.nn.functional.soft_margin_loss.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const std::string& reduction = "mean");

}  // namespace taper
