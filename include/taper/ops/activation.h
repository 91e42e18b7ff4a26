// Activation functions of neural networks. Require a floating-point tensor. Functions with a
// trailing underscore operate in place and return the tensor.
#pragma once
#include <string>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/scalar.h"

namespace TAPER_API taper {
class Tensor;

/// Returns input * sigmoid(input). PyTorch: torch.nn.functional.silu.
Tensor silu(const Tensor& input);
const Tensor& silu_(const Tensor& input);
/// Returns input * P(X <= input) for a standard normal X. `approximate` is "none" or "tanh":
/// input / 2 * (1 + tanh(sqrt(2 / pi) * (input + 0.044715 input^3))). Throws ValueError for any
/// other `approximate`. PyTorch: torch.nn.functional.gelu.
Tensor gelu(const Tensor& input, const std::string& approximate = "none");
/// Returns input * tanh(softplus(input)). PyTorch: torch.nn.functional.mish.
Tensor mish(const Tensor& input);
const Tensor& mish_(const Tensor& input);
/// Returns min(max(input + 3, 0), 6) / 6. PyTorch: torch.nn.functional.hardsigmoid.
Tensor hardsigmoid(const Tensor& input);
const Tensor& hardsigmoid_(const Tensor& input);
/// Returns log(sigmoid(input)). PyTorch: torch.nn.functional.logsigmoid.
Tensor log_sigmoid(const Tensor& input);
/// Returns log(1 + e^(beta * input)) / beta, or input where beta * input > threshold.
/// PyTorch: torch.nn.functional.softplus.
Tensor softplus(const Tensor& input, const Scalar& beta = 1, const Scalar& threshold = 20);
/// Returns max(input, 0) + min(alpha * (e^(input / alpha) - 1), 0). Throws ValueError if alpha is
/// 0. PyTorch: torch.celu.
Tensor celu(const Tensor& input, const Scalar& alpha = 1.0);
const Tensor& celu_(const Tensor& input, const Scalar& alpha = 1.0);
/// Returns a * sigmoid(b), where a and b are the halves of `input` along `dim`. Throws ShapeError
/// if the size of the dimension is odd. PyTorch: torch.nn.functional.glu.
Tensor glu(const Tensor& input, IntArg dim = -1);

}  // namespace taper
