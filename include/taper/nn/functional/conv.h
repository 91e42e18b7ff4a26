// Convolutions of taper/ops/conv.h.
#pragma once
#include "taper/core/api.h"
#include "taper/ops/conv.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Convolutions over 1, 2 and 3 spatial dimensions. PyTorch: torch.nn.functional.conv1d,
/// torch.nn.functional.conv2d, torch.nn.functional.conv3d.
using taper::conv1d;
using taper::conv2d;
using taper::conv3d;
/// Transposed convolutions over 1, 2 and 3 spatial dimensions.
/// PyTorch: torch.nn.functional.conv_transpose1d, torch.nn.functional.conv_transpose2d,
/// torch.nn.functional.conv_transpose3d.
using taper::conv_transpose1d;
using taper::conv_transpose2d;
using taper::conv_transpose3d;

}  // namespace nn::functional
}  // namespace taper
