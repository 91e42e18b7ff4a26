// Pooling functions of taper/ops/pool.h.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/ops/pool_nd.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Pooling functions of torch.nn.functional, and those with return_indices=True.
using taper::adaptive_avg_pool2d;
using taper::adaptive_max_pool1d;
using taper::adaptive_max_pool1d_with_indices;
using taper::adaptive_max_pool2d;
using taper::adaptive_max_pool2d_with_indices;
using taper::adaptive_max_pool3d;
using taper::adaptive_max_pool3d_with_indices;
using taper::avg_pool1d;
using taper::avg_pool2d;
using taper::avg_pool3d;
using taper::fractional_max_pool2d;
using taper::fractional_max_pool2d_with_indices;
using taper::fractional_max_pool3d;
using taper::fractional_max_pool3d_with_indices;
using taper::lp_pool1d;
using taper::lp_pool2d;
using taper::lp_pool3d;
using taper::max_pool1d;
using taper::max_pool1d_with_indices;
using taper::max_pool2d;
using taper::max_pool2d_with_indices;
using taper::max_pool3d;
using taper::max_pool3d_with_indices;
using taper::max_unpool1d;
using taper::max_unpool2d;
using taper::max_unpool3d;

}  // namespace nn::functional
}  // namespace taper
