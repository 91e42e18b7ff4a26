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

/// Convolution along time of `input` `(T, B, C_in)` with `weight` `(k, C_in, C_out)` and `bias`
/// `(C_out)`, padded with `pad` zeros at both ends: `(T', B, C_out)`. Throws ShapeError if the
/// shapes do not match. PyTorch: torch.nn.functional.conv_tbc.
Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArg pad = 0);

}  // namespace nn::functional
}  // namespace taper
