// Batch and instance normalization.
#pragma once
#include "taper/core/api.h"
#include "taper/ops/norm.h"

namespace TAPER_API taper {
namespace nn::functional {

/// As batch_norm of taper/ops/norm.h, but also throws ValueError if `eps` is 0 in training.
/// PyTorch: torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, OptionalTensorRef weight, OptionalTensorRef bias,
                  bool training = false, FloatArg momentum = 0.1, FloatArg eps = 1e-5);
/// As batch_norm above, without weight and bias.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, bool training = false, FloatArg momentum = 0.1,
                  FloatArg eps = 1e-5);

/// Normalizes each channel of each sample of `input` `(N, C, ...)`, with optional `weight` and
/// `bias` `(C)`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// If `use_input_stats` is set, the statistics are those of the channel and sample, and their means
/// over the samples update `running_mean` and `running_var` `(C)`, if given, with weight
/// `momentum`. Otherwise, the running statistics are used. Throws ValueError if `use_input_stats`
/// is set and there is only one spatial element, RuntimeError if statistics are missing, and the
/// errors of batch_norm. PyTorch: torch.nn.functional.instance_norm.
Tensor instance_norm(const Tensor& input, OptionalTensorRef running_mean = {},
                     OptionalTensorRef running_var = {}, OptionalTensorRef weight = {},
                     OptionalTensorRef bias = {}, bool use_input_stats = true,
                     FloatArg momentum = 0.1, FloatArg eps = 1e-5);

}  // namespace nn::functional
}  // namespace taper
