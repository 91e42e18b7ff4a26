// Batch, layer, group and RMS normalization.
#pragma once
#include <optional>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Normalizes each channel of `input` `(N, C)` or `(N, C, ...)`, with optional `weight` and `bias`
/// `(C)`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// With `training`, the statistics are those of the input. They update `running_mean` and
/// `running_var` `(C)`, if given, in place and in no-grad mode, with the unbiased variance:
///
///     running = (1 - momentum) * running + momentum * batch
///
/// Otherwise, the running statistics are used. Throws ShapeError if sizes do not match, DTypeError
/// if a dtype is not supported, ValueError if eps is negative or if there is one value per channel
/// in training, RuntimeError if the running statistics are required and absent.
/// `cudnn_enabled` has no effect. PyTorch: torch.batch_norm.
Tensor batch_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                  OptionalTensorRef running_mean, OptionalTensorRef running_var, bool training,
                  FloatArg momentum, FloatArg eps, bool cudnn_enabled);

/// Normalizes each channel of each sample of `input` `(N, C, ...)`, with optional `weight` and
/// `bias` `(C)`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// If `use_input_stats` is set, the statistics are those of the channel and sample, and their means
/// over the samples update `running_mean` and `running_var` `(C)`, if given, with weight
/// `momentum`. Otherwise, the running statistics are used. Throws ShapeError if sizes do not
/// match, RuntimeError if statistics are missing, and the errors of batch_norm. `cudnn_enabled` has
/// no effect. PyTorch: torch.instance_norm.
Tensor instance_norm(const Tensor& input, OptionalTensorRef weight, OptionalTensorRef bias,
                     OptionalTensorRef running_mean, OptionalTensorRef running_var,
                     bool use_input_stats, FloatArg momentum, FloatArg eps, bool cudnn_enabled);

/// Normalizes the last dimensions of `input` `(*, normalized_shape)`, with optional `weight` and
/// `bias` of shape `normalized_shape`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// with mean and biased variance over these dimensions. Throws ShapeError if shapes do not match,
/// DTypeError if a dtype is not supported. `cudnn_enable` has no effect. PyTorch: torch.layer_norm.
Tensor layer_norm(const Tensor& input, const Shape& normalized_shape, OptionalTensorRef weight = {},
                  OptionalTensorRef bias = {}, FloatArg eps = 1e-5, bool cudnn_enable = true);

/// Normalizes groups of C / num_groups channels of each sample of `input` `(N, C, ...)`, with
/// optional `weight` and `bias` `(C)`:
///
///     y = (x - mean) / sqrt(var + eps) * weight + bias
///
/// with mean and biased variance over the channels of the group and all spatial dimensions. Throws
/// ShapeError if shapes do not match or `num_groups` does not divide C, DTypeError if a dtype is
/// not supported. `cudnn_enabled` has no effect. PyTorch: torch.group_norm.
Tensor group_norm(const Tensor& input, IntArg num_groups, OptionalTensorRef weight = {},
                  OptionalTensorRef bias = {}, FloatArg eps = 1e-5, bool cudnn_enabled = true);

/// Normalizes the last dimensions of `input` `(*, normalized_shape)` by their root mean square,
/// with optional `weight` of shape `normalized_shape`:
///
///     y = x / sqrt(mean(x^2) + eps) * weight
///
/// `eps` is by default the machine epsilon of the dtype. Throws ShapeError if shapes do not match,
/// DTypeError if a dtype is not supported. PyTorch: torch.rms_norm.
Tensor rms_norm(const Tensor& input, const Shape& normalized_shape, OptionalTensorRef weight = {},
                std::optional<FloatArg> eps = {});

}  // namespace taper
