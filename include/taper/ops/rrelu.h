// Leaky units whose slopes are drawn.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
class Tensor;

/// input where it is positive, else input times a slope: drawn from [lower, upper) for each element
/// in training, else the mean of both bounds. For floating-point tensors (else DTypeError). Throws
/// ValueError if lower > upper. The form with an underscore works in place. PyTorch: torch.rrelu.
Tensor rrelu(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
             bool training = false, const Generator& generator = default_generator());
const Tensor& rrelu_(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
                     bool training = false, const Generator& generator = default_generator());

}  // namespace taper
