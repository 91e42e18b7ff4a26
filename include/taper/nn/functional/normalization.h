// Normalisations, as declared with the operations.
#pragma once
#include "taper/core/api.h"
#include "taper/ops/norm.h"

namespace TAPER_API taper {
namespace nn::functional {

/// PyTorch: F.batch_norm.
using taper::batch_norm;

/// Normalises each channel of each sample of `input` (N, C) or (N, C, ...) to mean 0 and variance
/// 1, then times `weight` (C) plus `bias` (C), which may be left out (1 and 0). With
/// `use_input_stats` by its own statistics, whose mean over the samples moves `running_mean` and
/// `running_var` (C), if given, by `momentum`; else by these. Throws ValueError for a single
/// spatial element with `use_input_stats`, RuntimeError without any statistics, and what batch_norm
/// throws. PyTorch: F.instance_norm.
Tensor instance_norm(const Tensor& input, OptionalTensorRef running_mean = {},
                     OptionalTensorRef running_var = {}, OptionalTensorRef weight = {},
                     OptionalTensorRef bias = {}, bool use_input_stats = true,
                     FloatArg momentum = 0.1, FloatArg eps = 1e-5);

}  // namespace nn::functional
}  // namespace taper
