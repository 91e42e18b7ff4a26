// Activation functions that PyTorch has in torch. Require a floating-point tensor. Functions with a
// trailing underscore operate in place and return the tensor.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/scalar.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Returns max(input, 0) + min(alpha * (e^(input / alpha) - 1), 0). Throws ValueError if alpha is
/// 0. PyTorch: torch.celu.
Tensor celu(const Tensor& input, const Scalar& alpha = 1.0);

/// Options of celu_.
struct CELUInPlaceFuncOptions {
  ScalarArg alpha = 1.0;  ///< negative of the limit for input = -infinity
};
/// Computes celu in place. PyTorch: torch.celu_.
const Tensor& celu_(const Tensor& input, const CELUInPlaceFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N> const Tensor& celu_(const Tensor& input, N alpha) {
  return taper::celu_(input, CELUInPlaceFuncOptions{.alpha = alpha});
}

/// Options of hardshrink and nn::Hardshrink.
struct HardshrinkFuncOptions {
  ScalarArg lambd = 0.5;  ///< bound of the elements that become 0
  TAPER_OPTIONS(lambd)
};
/// Returns 0 if |input| <= lambd, otherwise input. PyTorch: torch.hardshrink.
Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N> Tensor hardshrink(const Tensor& input, N lambd) {
  return taper::hardshrink(input, HardshrinkFuncOptions{.lambd = lambd});
}

}  // namespace taper
