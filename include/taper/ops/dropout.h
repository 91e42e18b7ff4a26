// Dropout.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
class Tensor;

// All functions throw ValueError unless p is in [0, 1]. If p = 0, `train` is false or the input is
// empty, they return the input itself and do not draw random numbers. Functions with a trailing
// underscore operate in place and return the input.

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p).
/// PyTorch: torch.dropout.
Tensor dropout(const Tensor& input, FloatArg p, bool train,
               const Generator& generator = default_generator());
const Tensor& dropout_(const Tensor& input, FloatArg p, bool train,
                       const Generator& generator = default_generator());
/// Sets each channel of an input `(N, C, ...)` to zero with probability p and scales the others by
/// 1 / (1 - p). Throws ShapeError if the input has fewer than 2 dimensions.
/// PyTorch: torch.feature_dropout.
Tensor feature_dropout(const Tensor& input, FloatArg p, bool train,
                       const Generator& generator = default_generator());
const Tensor& feature_dropout_(const Tensor& input, FloatArg p, bool train,
                               const Generator& generator = default_generator());
/// Sets each element with probability p to the negative saturation value of SELU, followed by an
/// affine transformation that preserves mean and variance of the input.
/// PyTorch: torch.alpha_dropout.
Tensor alpha_dropout(const Tensor& input, FloatArg p, bool train,
                     const Generator& generator = default_generator());
const Tensor& alpha_dropout_(const Tensor& input, FloatArg p, bool train,
                             const Generator& generator = default_generator());
/// Sets each channel of an input `(N, C, ...)` with probability p to the negative saturation value
/// of SELU, followed by an affine transformation that preserves mean and variance of the input.
/// Throws ShapeError if the input has fewer than 2 dimensions.
/// PyTorch: torch.feature_alpha_dropout.
Tensor feature_alpha_dropout(const Tensor& input, FloatArg p, bool train,
                             const Generator& generator = default_generator());
const Tensor& feature_alpha_dropout_(const Tensor& input, FloatArg p, bool train,
                                     const Generator& generator = default_generator());

}  // namespace taper
