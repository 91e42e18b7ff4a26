// Activation functions. With `inplace`, they overwrite the input and return it.
//
// Overloads that take the first optional argument by position are templates, which braces never
// match: GCC ignores the name of a field in braces that convert to a class with constructors.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/tensor.h"
#include "taper/ops/activation.h"
#include "taper/ops/rrelu.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Options of activations without coefficients, and of their layers.
struct ReLUFuncOptions {
  bool inplace = false;  ///< overwrites the input and returns it
  TAPER_OPTIONS(inplace)
};
using HardsigmoidFuncOptions = ReLUFuncOptions;
using HardswishFuncOptions = ReLUFuncOptions;
using MishFuncOptions = ReLUFuncOptions;
using ReLU6FuncOptions = ReLUFuncOptions;
using SELUFuncOptions = ReLUFuncOptions;
using SiLUFuncOptions = ReLUFuncOptions;

/// Computes max(x, 0) element-wise. PyTorch: torch.nn.functional.relu.
Tensor relu(const Tensor& input, const ReLUFuncOptions& options = {});
/// Computes min(max(x, 0), 6) element-wise. PyTorch: torch.nn.functional.relu6.
Tensor relu6(const Tensor& input, const ReLU6FuncOptions& options = {});
/// Computes scale * (x if x > 0, otherwise alpha * (exp(x) - 1)) with alpha = 1.67326... and
/// scale = 1.05070.... PyTorch: torch.nn.functional.selu.
Tensor selu(const Tensor& input, const SELUFuncOptions& options = {});
/// Computes x * relu6(x + 3) / 6. PyTorch: torch.nn.functional.hardswish.
Tensor hardswish(const Tensor& input, const HardswishFuncOptions& options = {});
/// Computes x * sigmoid(x). PyTorch: torch.nn.functional.silu.
Tensor silu(const Tensor& input, const SiLUFuncOptions& options = {});
/// Computes x * tanh(softplus(x)). PyTorch: torch.nn.functional.mish.
Tensor mish(const Tensor& input, const MishFuncOptions& options = {});
/// Computes min(max(x + 3, 0), 6) / 6. PyTorch: torch.nn.functional.hardsigmoid.
Tensor hardsigmoid(const Tensor& input, const HardsigmoidFuncOptions& options = {});

/// Options of leaky_relu and nn::LeakyReLU.
struct LeakyReLUFuncOptions {
  FloatArg negative_slope = 0.01;  ///< factor of negative elements
  bool inplace = false;            ///< overwrites the input and returns it
  TAPER_OPTIONS(negative_slope, inplace)
};
/// Computes x if x > 0, otherwise negative_slope * x. PyTorch: torch.nn.functional.leaky_relu.
Tensor leaky_relu(const Tensor& input, const LeakyReLUFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
Tensor leaky_relu(const Tensor& input, N negative_slope, LeakyReLUFuncOptions options = {}) {
  options.negative_slope = negative_slope;
  return functional::leaky_relu(input, options);
}

/// Options of threshold.
struct ThresholdFuncOptions {
  bool inplace = false;  ///< overwrites the input and returns it
  TAPER_OPTIONS(inplace)
};
/// Computes x if x > threshold, otherwise `value`. PyTorch: torch.nn.functional.threshold.
Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value,
                 const ThresholdFuncOptions& options = {});

/// Options of hardtanh and nn::Hardtanh.
struct HardtanhFuncOptions {
  ScalarArg min_val = -1.0;  ///< lower bound
  ScalarArg max_val = 1.0;   ///< upper bound
  bool inplace = false;      ///< overwrites the input and returns it
  TAPER_OPTIONS(min_val, max_val, inplace)
};
/// Clamps each element to [min_val, max_val]. The dtype of `input` is preserved: for integers, the
/// bounds are rounded toward zero. Throws ValueError if min_val > max_val, RuntimeError if no
/// number of an integer dtype is in the interval, NotImplementedError for bool. PyTorch:
/// torch.nn.functional.hardtanh.
Tensor hardtanh(const Tensor& input, const HardtanhFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N> Tensor hardtanh(const Tensor& input, N min_val,
                                                            ScalarArg max_val = 1.0,
                                                            HardtanhFuncOptions options = {}) {
  options.min_val = min_val, options.max_val = max_val;
  return functional::hardtanh(input, options);
}

/// Options of elu and nn::ELU.
struct ELUFuncOptions {
  ScalarArg alpha = 1.0;  ///< negative of the limit for x = -infinity
  bool inplace = false;   ///< overwrites the input and returns it
  TAPER_OPTIONS(alpha, inplace)
};
/// Computes x if x > 0, otherwise alpha * (exp(x) - 1). PyTorch: torch.nn.functional.elu.
Tensor elu(const Tensor& input, const ELUFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N>
Tensor elu(const Tensor& input, N alpha, ELUFuncOptions options = {}) {
  options.alpha = alpha;
  return functional::elu(input, options);
}

using CELUFuncOptions = ELUFuncOptions;
/// Computes max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). Throws ValueError if alpha is 0.
/// PyTorch: torch.nn.functional.celu.
Tensor celu(const Tensor& input, const CELUFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N>
Tensor celu(const Tensor& input, N alpha, CELUFuncOptions options = {}) {
  options.alpha = alpha;
  return functional::celu(input, options);
}

/// Computes x if |x| > lambd, otherwise 0. PyTorch: torch.nn.functional.hardshrink.
using taper::hardshrink;
using taper::HardshrinkFuncOptions;
using SoftshrinkFuncOptions = HardshrinkFuncOptions;
/// Computes sign(x) * max(|x| - lambd, 0). Throws ValueError if lambd is negative.
/// PyTorch: torch.nn.functional.softshrink.
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N> Tensor softshrink(const Tensor& input, N lambd) {
  return functional::softshrink(input, SoftshrinkFuncOptions{.lambd = lambd});
}

/// Options of rrelu.
struct RReLUFuncOptions {
  FloatArg lower = 1.0 / 8;  ///< lower bound of the slopes
  FloatArg upper = 1.0 / 3;  ///< upper bound of the slopes
  bool training = false;     ///< draws a slope for each element
  bool inplace = false;      ///< overwrites the input and returns it
};
/// Computes x if x >= 0, otherwise a * x. In training mode, `a` is drawn for each element from the
/// uniform distribution on [lower, upper); otherwise, a = (lower + upper) / 2. Throws ValueError if
/// lower > upper. PyTorch: torch.nn.functional.rrelu.
Tensor rrelu(const Tensor& input, const RReLUFuncOptions& options = {});
template <std::convertible_to<FloatArg> N> Tensor rrelu(const Tensor& input, N lower,
                                                        FloatArg upper = 1.0 / 3,
                                                        RReLUFuncOptions options = {}) {
  options.lower = lower, options.upper = upper;
  return functional::rrelu(input, options);
}

/// Options of softplus and nn::Softplus.
struct SoftplusFuncOptions {
  ScalarArg beta = 1.0;        ///< factor of the input
  ScalarArg threshold = 20.0;  ///< limit of beta * x above which the result is x
  TAPER_OPTIONS(beta, threshold)
};
/// Computes log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.
/// PyTorch: torch.nn.functional.softplus.
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N>
Tensor softplus(const Tensor& input, N beta, ScalarArg threshold = 20.0) {
  return functional::softplus(input, SoftplusFuncOptions{.beta = beta, .threshold = threshold});
}

/// Options of glu and nn::GLU.
struct GLUFuncOptions {
  IntArg dim = -1;  ///< dimension of the halves
  TAPER_OPTIONS(dim)
};
/// Computes a * sigmoid(b), where a and b are the halves of the input along `dim`. Throws
/// ShapeError if the size of the dimension is odd. PyTorch: torch.nn.functional.glu.
Tensor glu(const Tensor& input, const GLUFuncOptions& options = {});
template <std::convertible_to<IntArg> N> Tensor glu(const Tensor& input, N dim) {
  return functional::glu(input, GLUFuncOptions{.dim = dim});
}

/// Computes x / (1 + |x|) element-wise. PyTorch: torch.nn.functional.softsign.
Tensor softsign(const Tensor& input);
/// Computes log(sigmoid(x)). PyTorch: torch.nn.functional.logsigmoid.
Tensor logsigmoid(const Tensor& input);
/// Computes x - tanh(x). PyTorch: torch.nn.functional.tanhshrink.
Tensor tanhshrink(const Tensor& input);
/// Computes x if x > 0, otherwise weight * x. PyTorch: torch.nn.functional.prelu.
using taper::prelu;
/// Hyperbolic tangent and logistic sigmoid. PyTorch: torch.nn.functional.tanh,
/// torch.nn.functional.sigmoid.
using taper::sigmoid;
using taper::tanh;

// In-place forms of the functions above, which return the input.

/// Options of leaky_relu_.
struct LeakyReLUInPlaceFuncOptions {
  FloatArg negative_slope = 0.01;  ///< factor of negative elements
};
/// Computes leaky_relu in place. PyTorch: torch.nn.functional.leaky_relu_.
const Tensor& leaky_relu_(const Tensor& input, const LeakyReLUInPlaceFuncOptions& options = {});
template <std::convertible_to<FloatArg> N>
const Tensor& leaky_relu_(const Tensor& input, N negative_slope) {
  return functional::leaky_relu_(input,
                                 LeakyReLUInPlaceFuncOptions{.negative_slope = negative_slope});
}

/// Options of hardtanh_.
struct HardtanhInPlaceFuncOptions {
  ScalarArg min_val = -1.0;  ///< lower bound
  ScalarArg max_val = 1.0;   ///< upper bound
};
/// Computes hardtanh in place. Throws the errors of `hardtanh`.
/// PyTorch: torch.nn.functional.hardtanh_.
const Tensor& hardtanh_(const Tensor& input, const HardtanhInPlaceFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N>
const Tensor& hardtanh_(const Tensor& input, N min_val, ScalarArg max_val = 1.0) {
  return functional::hardtanh_(input,
                               HardtanhInPlaceFuncOptions{.min_val = min_val, .max_val = max_val});
}

/// Options of elu_.
using ELUInPlaceFuncOptions = CELUInPlaceFuncOptions;
/// Computes elu in place. PyTorch: torch.nn.functional.elu_.
const Tensor& elu_(const Tensor& input, const ELUInPlaceFuncOptions& options = {});
template <std::convertible_to<ScalarArg> N> const Tensor& elu_(const Tensor& input, N alpha) {
  return functional::elu_(input, ELUInPlaceFuncOptions{.alpha = alpha});
}

/// In-place forms that PyTorch has under both names. PyTorch: torch.nn.functional.celu_,
/// torch.nn.functional.relu_, torch.nn.functional.rrelu_, torch.nn.functional.selu_,
/// torch.nn.functional.threshold_.
using taper::celu_;
using taper::CELUInPlaceFuncOptions;
using taper::relu_;
using taper::rrelu_;
using taper::RReLUInPlaceFuncOptions;
using taper::selu_;
using taper::threshold_;

}  // namespace nn::functional
}  // namespace taper
