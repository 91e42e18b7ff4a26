// Pooling functions of taper/ops/pool.h.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Maximum, average and adaptive average pooling over windows.
/// PyTorch: torch.nn.functional.max_pool2d, torch.nn.functional.avg_pool2d,
/// torch.nn.functional.adaptive_avg_pool2d.
using taper::adaptive_avg_pool2d;
using taper::avg_pool2d;
using taper::max_pool2d;
using taper::max_pool2d_with_indices;

}  // namespace nn::functional
}  // namespace taper
