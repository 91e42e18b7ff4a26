// Linear function.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Computes input W^T + bias for input `(..., in)`, weight W `(out, in)` and optional bias `(out)`.
/// PyTorch: torch.nn.functional.linear.
using taper::linear;

}  // namespace nn::functional
}  // namespace taper
