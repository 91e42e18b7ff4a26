// Affine maps.
#pragma once
#include "taper/core/tensor.h"

namespace taper::nn::functional {

/// input `(..., in)` times weight `(out, in)` transposed, plus bias `(out)` if given. PyTorch:
/// F.linear.
using taper::linear;

}  // namespace taper::nn::functional
