// Activation functions that PyTorch has in torch.nn.functional, not in torch: F:: is their public
// form. Require a floating-point tensor. Functions with a trailing underscore operate in place and
// return the tensor.
#pragma once
#include <string>

#include "taper/core/tensor.h"

namespace taper {

/// Returns input * sigmoid(input).
Tensor silu(const Tensor& input);
const Tensor& silu_(const Tensor& input);
/// Returns input * P(X <= input) for a standard normal X. `approximate` is "none" or "tanh":
/// input / 2 * (1 + tanh(sqrt(2 / pi) * (input + 0.044715 input^3))). Throws ValueError for any
/// other `approximate`.
Tensor gelu(const Tensor& input, const std::string& approximate = "none");
/// Returns input * tanh(softplus(input)).
Tensor mish(const Tensor& input);
const Tensor& mish_(const Tensor& input);
/// Returns min(max(input + 3, 0), 6) / 6.
Tensor hardsigmoid(const Tensor& input);
const Tensor& hardsigmoid_(const Tensor& input);
/// Returns input * min(max(input + 3, 0), 6) / 6 (Howard et al., 2019).
Tensor hardswish(const Tensor& input);
const Tensor& hardswish_(const Tensor& input);
/// Returns log(sigmoid(input)).
Tensor log_sigmoid(const Tensor& input);
/// Returns log(1 + e^(beta * input)) / beta, or input where beta * input > threshold.
Tensor softplus(const Tensor& input, const Scalar& beta = 1, const Scalar& threshold = 20);
/// Returns input if input > 0, otherwise negative_slope * input.
Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope = 0.01);
const Tensor& leaky_relu_(const Tensor& input, const Scalar& negative_slope = 0.01);
/// Returns input if input > 0, otherwise alpha * (e^input - 1).
Tensor elu(const Tensor& input, const Scalar& alpha = 1);
const Tensor& elu_(const Tensor& input, const Scalar& alpha = 1);
/// Returns sign(input) * max(|input| - lambd, 0). Throws ValueError if lambd is negative.
Tensor softshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// Returns a * sigmoid(b), where a and b are the halves of `input` along `dim`. Throws ShapeError
/// if the size of the dimension is odd.
Tensor glu(const Tensor& input, IntArg dim = -1);

}  // namespace taper
