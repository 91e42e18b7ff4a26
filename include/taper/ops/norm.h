// Batch normalization.
#pragma once
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
/// PyTorch: torch.nn.functional.batch_norm.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, OptionalTensorRef weight, OptionalTensorRef bias,
                  bool training = false, FloatArg momentum = 0.1, FloatArg eps = 1e-5);
/// As batch_norm above, without weight and bias.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, bool training = false, FloatArg momentum = 0.1,
                  FloatArg eps = 1e-5);

}  // namespace taper
