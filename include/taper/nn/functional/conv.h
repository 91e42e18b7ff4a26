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

/// Convolution along time. PyTorch: torch.nn.functional.conv_tbc.
using taper::conv_tbc;
/// Options of these functions.
using taper::Conv1dFuncOptions;
using taper::Conv2dFuncOptions;
using taper::Conv3dFuncOptions;
using taper::ConvTbcFuncOptions;
using taper::ConvTranspose1dFuncOptions;
using taper::ConvTranspose2dFuncOptions;
using taper::ConvTranspose3dFuncOptions;

}  // namespace nn::functional
}  // namespace taper
