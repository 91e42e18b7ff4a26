// Normalisations, as declared with the operations.
#pragma once
#include "taper/ops/norm.h"

namespace taper::nn::functional {

/// PyTorch: F.batch_norm.
using taper::batch_norm;

/// Normalises each channel of each sample of `input` (N, C) or (N, C, ...) to mean 0 and variance
/// 1, then times `weight` (C) plus `bias` (C), which may be undefined (1 and 0). With
/// `use_input_stats` by its own statistics, whose mean over the samples moves `running_mean` and
/// `running_var` (C), if defined, by `momentum`; else by these. Throws ValueError for a single
/// spatial element with `use_input_stats`, RuntimeError without any statistics, and what batch_norm
/// throws. PyTorch: F.instance_norm.
Tensor instance_norm(const Tensor& input, const Tensor& running_mean = {},
                     const Tensor& running_var = {}, const Tensor& weight = {},
                     const Tensor& bias = {}, bool use_input_stats = true, double momentum = 0.1,
                     double eps = 1e-5);

}  // namespace taper::nn::functional
