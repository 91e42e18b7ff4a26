// Dropout functions.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

// All functions throw ValueError unless p is in [0, 1]. If p = 0, `training` is false or the input
// is empty, they return the input itself and do not draw random numbers. The probability is also
// accepted by position: `F::dropout(x, 0.1, {.training = is_training()})`.

namespace TAPER_API taper {
namespace nn::functional {

/// Options of dropout.
struct DropoutFuncOptions {
  FloatArg p = 0.5;      ///< probability
  bool training = true;  ///< if false, the result is the input
  bool inplace = false;  ///< overwrites the input and returns it
};
using Dropout1dFuncOptions = DropoutFuncOptions;
using Dropout2dFuncOptions = DropoutFuncOptions;
using Dropout3dFuncOptions = DropoutFuncOptions;

/// Sets each element to zero with probability p and scales the others by 1 / (1 - p).
/// PyTorch: torch.nn.functional.dropout.
Tensor dropout(const Tensor& input, const DropoutFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor dropout(const Tensor& input, N p, DropoutFuncOptions options = {}) {
  options.p = p;
  return functional::dropout(input, options);
}
/// Sets each channel of an input `(N, C, L)` or `(C, L)` to zero with probability p and scales the
/// others by 1 / (1 - p). Throws ShapeError if the rank of the input is not supported.
/// PyTorch: torch.nn.functional.dropout1d.
Tensor dropout1d(const Tensor& input, const Dropout1dFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor dropout1d(const Tensor& input, N p, Dropout1dFuncOptions options = {}) {
  options.p = p;
  return functional::dropout1d(input, options);
}
/// Sets each channel of an input `(N, C, H, W)` or `(N, C, L)` to zero with probability p and
/// scales the others by 1 / (1 - p). Warns if the input has any other rank.
/// PyTorch: torch.nn.functional.dropout2d.
Tensor dropout2d(const Tensor& input, const Dropout2dFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor dropout2d(const Tensor& input, N p, Dropout2dFuncOptions options = {}) {
  options.p = p;
  return functional::dropout2d(input, options);
}
/// Sets each channel of an input `(N, C, D, H, W)` or `(C, D, H, W)` to zero with probability p and
/// scales the others by 1 / (1 - p). Warns if the input has any other rank.
/// PyTorch: torch.nn.functional.dropout3d.
Tensor dropout3d(const Tensor& input, const Dropout3dFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor dropout3d(const Tensor& input, N p, Dropout3dFuncOptions options = {}) {
  options.p = p;
  return functional::dropout3d(input, options);
}

/// Options of alpha_dropout and feature_alpha_dropout.
struct AlphaDropoutFuncOptions {
  FloatArg p = 0.5;       ///< probability
  bool training = false;  ///< if false, the result is the input
  bool inplace = false;   ///< overwrites the input and returns it
};
using FeatureAlphaDropoutFuncOptions = AlphaDropoutFuncOptions;

/// Sets each element with probability p to the negative saturation value of SELU, followed by an
/// affine transformation that preserves mean and variance of the input.
/// PyTorch: torch.nn.functional.alpha_dropout.
Tensor alpha_dropout(const Tensor& input, const AlphaDropoutFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor alpha_dropout(const Tensor& input, N p, AlphaDropoutFuncOptions options = {}) {
  options.p = p;
  return functional::alpha_dropout(input, options);
}
/// Sets each channel of an input `(N, C, ...)` with probability p to the negative saturation value
/// of SELU, followed by an affine transformation that preserves mean and variance of the input.
/// PyTorch: torch.nn.functional.feature_alpha_dropout.
Tensor feature_alpha_dropout(const Tensor& input,
                             const FeatureAlphaDropoutFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor feature_alpha_dropout(const Tensor& input, N p,
                             FeatureAlphaDropoutFuncOptions options = {}) {
  options.p = p;
  return functional::feature_alpha_dropout(input, options);
}

}  // namespace nn::functional
}  // namespace taper
