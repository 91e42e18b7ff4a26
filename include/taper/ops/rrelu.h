// Randomized leaky rectified linear unit.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
class Tensor;

/// Computes x if x >= 0, otherwise a * x. If `training` is true, `a` is drawn for each element from
/// the uniform distribution on [lower, upper); otherwise, a = (lower + upper) / 2. rrelu_ operates
/// in place and returns the input. Throws DTypeError unless the dtype is a floating-point type,
/// ValueError if lower > upper. PyTorch: torch.rrelu.
Tensor rrelu(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
             bool training = false, const Generator& generator = default_generator());
const Tensor& rrelu_(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
                     bool training = false, const Generator& generator = default_generator());

}  // namespace taper
