// Masks of dropout.
#pragma once
#include "taper/core/generator.h"
#include "taper/core/tensor.h"

namespace taper {

/// Returns a bool tensor of the shape of `like` whose elements are true with probability
/// `keep_probability`, drawn in the order in which `like` itself would be filled.
Tensor make_keep_mask(const Tensor& like, double keep_probability, const Generator& generator);

}  // namespace taper
