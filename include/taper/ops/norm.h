// Normalisations.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Normalises each channel of `input` (N, C) or (N, C, ...) to mean 0 and variance 1, then times
/// `weight` (C) plus `bias` (C), which may be left out (1 and 0). Training takes the statistics
/// from the input itself and moves `running_mean` and `running_var` (C), if given, towards them
/// by `momentum`, in place and unseen by autograd (the running variance is the unbiased one);
/// evaluation takes them from `running_mean` and `running_var`. Throws ShapeError, DTypeError,
/// ValueError (one value per channel in training, a negative eps), RuntimeError (evaluation without
/// statistics). PyTorch: F.batch_norm.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, OptionalTensorRef weight, OptionalTensorRef bias,
                  bool training = false, FloatArg momentum = 0.1, FloatArg eps = 1e-5);
/// The same without weight and bias.
Tensor batch_norm(const Tensor& input, OptionalTensorRef running_mean,
                  OptionalTensorRef running_var, bool training = false, FloatArg momentum = 0.1,
                  FloatArg eps = 1e-5);

}  // namespace taper
