// Dropout, as layers use it.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"

// All throw ValueError for p outside of [0, 1]. With p = 0, `training` false, or no elements the
// input itself comes back and nothing is drawn. `inplace` overwrites the input and returns it.

namespace TAPER_API taper {
namespace nn::functional {

/// Zeroes each element with probability p and divides the others by 1 - p.
/// PyTorch: F.dropout.
Tensor dropout(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Zeroes whole channels of `(N, C, L)` or `(C, L)`. Throws ShapeError for another rank.
Tensor dropout1d(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Zeroes whole channels of `(N, C, H, W)`; `(N, C, L)` works as in dropout1d, with a warning for
/// any other rank.
Tensor dropout2d(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Zeroes whole channels of `(N, C, D, H, W)` or `(C, D, H, W)`.
Tensor dropout3d(const Tensor& input, FloatArg p = 0.5, bool training = true, bool inplace = false);
/// Sets elements to what SELU approaches for negative inputs, and keeps mean and variance.
/// PyTorch: F.alpha_dropout (whose `training` is false unless given, too).
Tensor alpha_dropout(const Tensor& input, FloatArg p = 0.5, bool training = false,
                     bool inplace = false);
/// The same for whole channels of `(N, C, ...)`.
Tensor feature_alpha_dropout(const Tensor& input, FloatArg p = 0.5, bool training = false,
                             bool inplace = false);

}  // namespace nn::functional
}  // namespace taper
