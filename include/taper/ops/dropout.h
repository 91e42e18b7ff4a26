// Dropout: random zeros that teach a network not to lean on single elements.
#pragma once
#include "taper/core/api.h"
#include "taper/core/generator.h"
#include "taper/core/not_bool.h"

namespace TAPER_API taper {
class Tensor;

// All throw ValueError for p outside of [0, 1]. With p = 0, `train` false, or no elements the input
// itself comes back and nothing is drawn. The forms with an underscore work in place.

/// Zeroes each element with probability p and divides the others by 1 - p. PyTorch: torch.dropout.
Tensor dropout(const Tensor& input, FloatArg p, bool train,
               const Generator& generator = default_generator());
const Tensor& dropout_(const Tensor& input, FloatArg p, bool train,
                       const Generator& generator = default_generator());
/// The same with one draw for each sample and channel of `(N, C, ...)`. Throws ShapeError for fewer
/// than 2 dimensions. PyTorch: torch.feature_dropout.
Tensor feature_dropout(const Tensor& input, FloatArg p, bool train,
                       const Generator& generator = default_generator());
const Tensor& feature_dropout_(const Tensor& input, FloatArg p, bool train,
                               const Generator& generator = default_generator());
/// Sets elements to the value that SELU approaches for negative inputs, and scales and shifts all
/// so that mean and variance stay. PyTorch: torch.alpha_dropout, torch.feature_alpha_dropout.
Tensor alpha_dropout(const Tensor& input, FloatArg p, bool train,
                     const Generator& generator = default_generator());
const Tensor& alpha_dropout_(const Tensor& input, FloatArg p, bool train,
                             const Generator& generator = default_generator());
Tensor feature_alpha_dropout(const Tensor& input, FloatArg p, bool train,
                             const Generator& generator = default_generator());
const Tensor& feature_alpha_dropout_(const Tensor& input, FloatArg p, bool train,
                                     const Generator& generator = default_generator());

}  // namespace taper
