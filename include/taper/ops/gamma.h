// Samples from gamma distributions.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"

namespace TAPER_API taper {
class Tensor;

/// Returns samples from the gamma distributions of scale 1 whose shapes are the elements of
/// `input`, with the values that PyTorch draws on the CPU. The result is not differentiable. Throws
/// ValueError unless all elements are positive, DTypeError unless the dtype is float32 or float64.
/// PyTorch: torch._standard_gamma.
Tensor standard_gamma(const Tensor& input, const Generator& generator = default_generator());

}  // namespace taper
