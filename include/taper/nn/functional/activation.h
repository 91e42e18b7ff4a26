// Activation functions. With `inplace`, they overwrite the input and return it.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/ops/activation.h"
#include "taper/ops/rrelu.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Computes max(x, 0) element-wise. PyTorch: torch.nn.functional.relu.
Tensor relu(const Tensor& input, bool inplace = false);
/// Computes x if x > 0, otherwise negative_slope * x. PyTorch: torch.nn.functional.leaky_relu.
Tensor leaky_relu(const Tensor& input, FloatArg negative_slope = 0.01, bool inplace = false);
/// Computes x if x > threshold, otherwise `value`. PyTorch: torch.nn.functional.threshold.
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value,
                 bool inplace = false);
/// Clamps each element to [min_val, max_val]. The dtype of `input` is preserved: for integers, the
/// bounds are rounded toward zero. Throws ValueError if min_val > max_val, RuntimeError if no
/// number of an integer dtype is in the interval, NotImplementedError for bool. PyTorch:
/// torch.nn.functional.hardtanh.
Tensor hardtanh(const Tensor& input, const Scalar& min_val = -1.0, const Scalar& max_val = 1.0,
                bool inplace = false);
/// Computes min(max(x, 0), 6) element-wise. PyTorch: torch.nn.functional.relu6.
Tensor relu6(const Tensor& input, bool inplace = false);
/// Computes x if x > 0, otherwise alpha * (exp(x) - 1). PyTorch: torch.nn.functional.elu.
Tensor elu(const Tensor& input, const Scalar& alpha = 1.0, bool inplace = false);
/// Computes scale * (x if x > 0, otherwise alpha * (exp(x) - 1)) with alpha = 1.67326... and
/// scale = 1.05070.... PyTorch: torch.nn.functional.selu.
Tensor selu(const Tensor& input, bool inplace = false);
/// Computes x * relu6(x + 3) / 6. PyTorch: torch.nn.functional.hardswish.
Tensor hardswish(const Tensor& input, bool inplace = false);
/// Computes x if |x| > lambd, otherwise 0. PyTorch: torch.nn.functional.hardshrink.
Tensor hardshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// Computes sign(x) * max(|x| - lambd, 0). Throws ValueError if lambd is negative.
/// PyTorch: torch.nn.functional.softshrink.
Tensor softshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// Computes x / (1 + |x|) element-wise. PyTorch: torch.nn.functional.softsign.
Tensor softsign(const Tensor& input);
/// Computes x if x >= 0, otherwise a * x. In training mode, `a` is drawn for each element from the
/// uniform distribution on [lower, upper); otherwise, a = (lower + upper) / 2. Throws ValueError if
/// lower > upper. PyTorch: torch.nn.functional.rrelu.
Tensor rrelu(const Tensor& input, FloatArg lower = 1.0 / 8, FloatArg upper = 1.0 / 3,
             bool training = false, bool inplace = false);
/// Computes x * sigmoid(x). PyTorch: torch.nn.functional.silu.
Tensor silu(const Tensor& input, bool inplace = false);
/// Computes x * tanh(softplus(x)). PyTorch: torch.nn.functional.mish.
Tensor mish(const Tensor& input, bool inplace = false);
/// Computes min(max(x + 3, 0), 6) / 6. PyTorch: torch.nn.functional.hardsigmoid.
Tensor hardsigmoid(const Tensor& input, bool inplace = false);
/// Computes log(sigmoid(x)). PyTorch: torch.nn.functional.logsigmoid.
Tensor logsigmoid(const Tensor& input);
/// Computes log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.
/// PyTorch: torch.nn.functional.softplus.
using taper::softplus;
/// Computes max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). Throws ValueError if alpha is 0.
/// PyTorch: torch.nn.functional.celu.
Tensor celu(const Tensor& input, const Scalar& alpha = 1.0, bool inplace = false);
/// Computes x if x > 0, otherwise weight * x. PyTorch: torch.nn.functional.prelu.
using taper::prelu;
/// Computes a * sigmoid(b), where a and b are the halves of the input along `dim`.
/// PyTorch: torch.nn.functional.glu.
using taper::glu;
/// Computes x - tanh(x). PyTorch: torch.nn.functional.tanhshrink.
Tensor tanhshrink(const Tensor& input);
/// Computes hardtanh in place and returns the input. Throws the errors of `hardtanh`.
/// PyTorch: torch.nn.functional.hardtanh_.
const Tensor& hardtanh_(const Tensor& input, const Scalar& min_val = -1.0,
                        const Scalar& max_val = 1.0);
/// In-place forms of the functions above, which return the input. PyTorch:
/// torch.nn.functional.relu_, torch.nn.functional.elu_, torch.nn.functional.celu_,
/// torch.nn.functional.selu_, torch.nn.functional.leaky_relu_, torch.nn.functional.rrelu_,
/// torch.nn.functional.threshold_.
using taper::celu_;
using taper::elu_;
using taper::leaky_relu_;
using taper::relu_;
using taper::rrelu_;
using taper::selu_;
using taper::threshold_;
/// Hyperbolic tangent and logistic sigmoid. PyTorch: torch.nn.functional.tanh,
/// torch.nn.functional.sigmoid.
using taper::sigmoid;
using taper::tanh;

}  // namespace nn::functional
}  // namespace taper
