// Dropout functions.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

// All functions throw ValueError unless p is in [0, 1]. If p = 0, `training` is false or the input
// is empty, they return the input itself and do not draw random numbers. With `inplace`, they
// overwrite the input and return it.

namespace TAPER_API taper {
namespace nn::functional {

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p).
/// PyTorch: torch.nn.functional.dropout.
Tensor dropout(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Sets each channel of an input `(N, C, L)` or `(C, L)` to zero with probability p and scales the
/// others by 1 / (1 - p). Throws ShapeError if the rank of the input is not supported.
/// PyTorch: torch.nn.functional.dropout1d.
Tensor dropout1d(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Sets each channel of an input `(N, C, H, W)` or `(N, C, L)` to zero with probability p and
/// scales the others by 1 / (1 - p). Warns if the input has any other rank.
/// PyTorch: torch.nn.functional.dropout2d.
Tensor dropout2d(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Sets each channel of an input `(N, C, D, H, W)` or `(C, D, H, W)` to zero with probability p and
/// scales the others by 1 / (1 - p). Warns if the input has any other rank.
/// PyTorch: torch.nn.functional.dropout3d.
Tensor dropout3d(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Sets each element with probability p to the negative saturation value of SELU, followed by an
/// affine transformation that preserves mean and variance of the input.
/// PyTorch: torch.nn.functional.alpha_dropout.
Tensor alpha_dropout(const Tensor& input, FloatArg p = 0.5, bool training = false,
                     bool inplace = false);
/// Sets each channel of an input `(N, C, ...)` with probability p to the negative saturation value
/// of SELU, followed by an affine transformation that preserves mean and variance of the input.
/// PyTorch: torch.nn.functional.feature_alpha_dropout.
Tensor feature_alpha_dropout(const Tensor& input, FloatArg p = 0.5, bool training = false,
                             bool inplace = false);

}  // namespace nn::functional
}  // namespace taper
