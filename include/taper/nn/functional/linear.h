// Affine maps.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// input `(..., in)` times weight `(out, in)` transposed, plus bias `(out)` if given. PyTorch:
/// F.linear.
using taper::linear;

}  // namespace nn::functional
}  // namespace taper
