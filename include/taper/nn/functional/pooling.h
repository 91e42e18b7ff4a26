// Pooling over windows, as declared with the operations.
#pragma once
#include "taper/core/tensor.h"

namespace taper::nn::functional {

/// PyTorch: F.max_pool2d, F.avg_pool2d, F.adaptive_avg_pool2d.
using taper::adaptive_avg_pool2d;
using taper::avg_pool2d;
using taper::max_pool2d;
using taper::max_pool2d_with_indices;

}  // namespace taper::nn::functional
