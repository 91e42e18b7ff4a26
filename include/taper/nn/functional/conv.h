// Convolutions of taper/ops/conv.h.
#pragma once
#include "taper/core/api.h"
#include "taper/ops/conv.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Convolutions over 1, 2 and 3 spatial dimensions. PyTorch: F.conv1d, F.conv2d, F.conv3d.
using taper::conv1d;
using taper::conv2d;
using taper::conv3d;
/// Transposed convolutions over 1, 2 and 3 spatial dimensions. PyTorch: F.conv_transpose1d,
/// F.conv_transpose2d, F.conv_transpose3d.
using taper::conv_transpose1d;
using taper::conv_transpose2d;
using taper::conv_transpose3d;

}  // namespace nn::functional
}  // namespace taper
