// Losses of elements. `reduction` is Reduction::Mean, Sum or None; any other value throws
// ValueError.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/reduction.h"

namespace TAPER_API taper {
class Tensor;

/// Computes -weight * (pos_weight * target * log(sigmoid(input)) + (1 - target) *
/// log(sigmoid(-input))) of logits `input` and probabilities `target` in a numerically stable way.
/// `weight` and `pos_weight` are broadcast to the input. Throws NotImplementedError or DTypeError
/// for dtypes that are not floating-point, ShapeError if shapes cannot be broadcast.
/// PyTorch: torch.binary_cross_entropy_with_logits.
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        OptionalTensorRef weight = {},
                                        OptionalTensorRef pos_weight = {},
                                        IntArg reduction = Reduction::Mean);
/// Computes target * (log(target) - input) for log-probabilities `input` and probabilities
/// `target`, or exp(target) * (target - input) if `log_target` is set. Elements with target 0
/// are 0. Throws DTypeError for integers. PyTorch: torch.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, IntArg reduction = Reduction::Mean,
              bool log_target = false);
/// Computes the negative log likelihood of counts `target` under Poisson distributions:
/// exp(input) - target * input if `log_input` is set, otherwise input - target * log(input + eps).
/// `full` adds Stirling's approximation of log(target!), target * log(target) - target + log(2 pi
/// target) / 2, for targets greater than 1. PyTorch: torch.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        FloatArg eps, IntArg reduction);

}  // namespace taper
