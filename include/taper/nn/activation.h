// Activation layers. Inputs have any shape `(*)`; outputs have the shape of the input. Coefficients
// are also accepted by position: `nn::LeakyReLU(0.1, {.inplace = true})`.
#pragma once
#include <concepts>

#include "taper/core/api.h"
#include "taper/nn/functional/activation.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

using ReLUOptions = functional::ReLUFuncOptions;

/// Applies ReLU(x) = max(x, 0) element-wise. PyTorch: torch.nn.ReLU.
class ReLU : public Layer<ReLU, Configured<ReLUOptions>> {
 public:
  explicit ReLU(const ReLUOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(ReLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using HardtanhOptions = functional::HardtanhFuncOptions;

/// Clamps each element to [min_val, max_val]. PyTorch: torch.nn.Hardtanh.
class Hardtanh : public Layer<Hardtanh, Configured<HardtanhOptions>> {
 public:
  /// Throws ValueError unless min_val < max_val.
  explicit Hardtanh(const HardtanhOptions& options = {});
  template <std::convertible_to<ScalarArg> N>
  explicit Hardtanh(N minimum, ScalarArg maximum = 1.0, const HardtanhOptions& options = {})
      : Hardtanh(HardtanhOptions{minimum, maximum, options.inplace}) {}
  TAPER_LAYER(Hardtanh)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using ReLU6Options = functional::ReLU6FuncOptions;

/// Applies ReLU6(x) = min(max(x, 0), 6) element-wise. PyTorch: torch.nn.ReLU6.
class ReLU6 : public Layer<ReLU6, Configured<ReLU6Options>> {
 public:
  explicit ReLU6(const ReLU6Options& options = {}) : Layer(options) {}
  TAPER_LAYER(ReLU6)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using LeakyReLUOptions = functional::LeakyReLUFuncOptions;

/// Applies LeakyReLU(x) = x if x > 0, otherwise negative_slope * x. PyTorch: torch.nn.LeakyReLU.
class LeakyReLU : public Layer<LeakyReLU, Configured<LeakyReLUOptions>> {
 public:
  explicit LeakyReLU(const LeakyReLUOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<FloatArg> N>
  explicit LeakyReLU(N slope, const LeakyReLUOptions& options = {})
      : LeakyReLU(LeakyReLUOptions{slope, options.inplace}) {}
  TAPER_LAYER(LeakyReLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Options of RReLU.
struct RReLUOptions {
  FloatArg lower = 1.0 / 8;  ///< lower bound of the slopes
  FloatArg upper = 1.0 / 3;  ///< upper bound of the slopes
  bool inplace = false;      ///< overwrites the input and returns it
  TAPER_OPTIONS(lower, upper, inplace)
};

/// Applies RReLU(x) = x if x >= 0, otherwise a * x. In training mode, `a` is drawn for each element
/// from the uniform distribution on [lower, upper); in evaluation mode, a = (lower + upper) / 2.
/// PyTorch: torch.nn.RReLU.
class RReLU : public Layer<RReLU, Configured<RReLUOptions>> {
 public:
  explicit RReLU(const RReLUOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<FloatArg> N>
  explicit RReLU(N lowest, FloatArg highest = 1.0 / 3, const RReLUOptions& options = {})
      : RReLU(RReLUOptions{lowest, highest, options.inplace}) {}
  TAPER_LAYER(RReLU)
  /// Throws ValueError if lower > upper.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using ThresholdOptions = functional::ThresholdFuncOptions;

/// Applies Threshold(x) = x if x > threshold, otherwise `value`. PyTorch: torch.nn.Threshold.
class Threshold : public Layer<Threshold> {
 public:
  Threshold(const Scalar& limit, const Scalar& otherwise, const ThresholdOptions& options = {})
      : threshold(limit), value(otherwise), inplace(options.inplace) {}
  Scalar threshold, value;
  bool inplace;
  TAPER_LAYER(Threshold)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using ELUOptions = functional::ELUFuncOptions;

/// Applies ELU(x) = x if x > 0, otherwise alpha * (exp(x) - 1). PyTorch: torch.nn.ELU.
class ELU : public Layer<ELU, Configured<ELUOptions>> {
 public:
  explicit ELU(const ELUOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<ScalarArg> N> explicit ELU(N below, const ELUOptions& options = {})
      : ELU(ELUOptions{below, options.inplace}) {}
  TAPER_LAYER(ELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using SELUOptions = functional::SELUFuncOptions;

/// Applies SELU(x) = scale * (x if x > 0, otherwise alpha * (exp(x) - 1)) with alpha = 1.67326...
/// and scale = 1.05070..., which drive activations toward mean 0 and variance 1.
/// PyTorch: torch.nn.SELU.
class SELU : public Layer<SELU, Configured<SELUOptions>> {
 public:
  explicit SELU(const SELUOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(SELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using HardswishOptions = functional::HardswishFuncOptions;

/// Applies Hardswish(x) = x * min(max(x + 3, 0), 6) / 6. PyTorch: torch.nn.Hardswish.
class Hardswish : public Layer<Hardswish, Configured<HardswishOptions>> {
 public:
  explicit Hardswish(const HardswishOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(Hardswish)
  Tensor forward(const Tensor& input) const;
};

using HardshrinkOptions = functional::HardshrinkFuncOptions;

/// Applies Hardshrink(x) = x if |x| > lambd, otherwise 0. PyTorch: torch.nn.Hardshrink.
class Hardshrink : public Layer<Hardshrink, Configured<HardshrinkOptions>> {
 public:
  explicit Hardshrink(const HardshrinkOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<ScalarArg> N> explicit Hardshrink(N edge)
      : Hardshrink(HardshrinkOptions{edge}) {}
  TAPER_LAYER(Hardshrink)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using SoftshrinkOptions = functional::SoftshrinkFuncOptions;

/// Applies Softshrink(x) = sign(x) * max(|x| - lambd, 0). PyTorch: torch.nn.Softshrink.
class Softshrink : public Layer<Softshrink, Configured<SoftshrinkOptions>> {
 public:
  explicit Softshrink(const SoftshrinkOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<ScalarArg> N> explicit Softshrink(N edge)
      : Softshrink(SoftshrinkOptions{edge}) {}
  TAPER_LAYER(Softshrink)
  /// Throws ValueError if lambd is negative.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Softsign(x) = x / (1 + |x|) element-wise. PyTorch: torch.nn.Softsign.
class Softsign : public Layer<Softsign> {
 public:
  TAPER_LAYER(Softsign)
  Tensor forward(const Tensor& input) const;
};

/// Applies the hyperbolic tangent element-wise. PyTorch: torch.nn.Tanh.
class Tanh : public Layer<Tanh> {
 public:
  TAPER_LAYER(Tanh)
  Tensor forward(const Tensor& input) const;
};

/// Applies Sigmoid(x) = 1 / (1 + exp(-x)) element-wise. PyTorch: torch.nn.Sigmoid.
class Sigmoid : public Layer<Sigmoid> {
 public:
  TAPER_LAYER(Sigmoid)
  Tensor forward(const Tensor& input) const;
};

using SiLUOptions = functional::SiLUFuncOptions;

/// Applies SiLU(x) = x * sigmoid(x) element-wise. PyTorch: torch.nn.SiLU.
class SiLU : public Layer<SiLU, Configured<SiLUOptions>> {
 public:
  explicit SiLU(const SiLUOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(SiLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using MishOptions = functional::MishFuncOptions;

/// Applies Mish(x) = x * tanh(softplus(x)) element-wise. PyTorch: torch.nn.Mish.
class Mish : public Layer<Mish, Configured<MishOptions>> {
 public:
  explicit Mish(const MishOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(Mish)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using HardsigmoidOptions = functional::HardsigmoidFuncOptions;

/// Applies Hardsigmoid(x) = min(max(x + 3, 0), 6) / 6 element-wise. PyTorch: torch.nn.Hardsigmoid.
class Hardsigmoid : public Layer<Hardsigmoid, Configured<HardsigmoidOptions>> {
 public:
  explicit Hardsigmoid(const HardsigmoidOptions& options = {}) : Layer(options) {}
  TAPER_LAYER(Hardsigmoid)
  Tensor forward(const Tensor& input) const;
};

using CELUOptions = functional::CELUFuncOptions;

/// Applies CELU(x) = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). PyTorch: torch.nn.CELU.
class CELU : public Layer<CELU, Configured<CELUOptions>> {
 public:
  explicit CELU(const CELUOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<ScalarArg> N>
  explicit CELU(N below, const CELUOptions& options = {})
      : CELU(CELUOptions{below, options.inplace}) {}
  TAPER_LAYER(CELU)
  /// Throws ValueError if alpha is 0.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

using SoftplusOptions = functional::SoftplusFuncOptions;

/// Applies Softplus(x) = log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.
/// PyTorch: torch.nn.Softplus.
class Softplus : public Layer<Softplus, Configured<SoftplusOptions>> {
 public:
  explicit Softplus(const SoftplusOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<ScalarArg> N> explicit Softplus(N sharpness, ScalarArg limit = 20.0)
      : Softplus(SoftplusOptions{sharpness, limit}) {}
  TAPER_LAYER(Softplus)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies LogSigmoid(x) = log(sigmoid(x)) element-wise. PyTorch: torch.nn.LogSigmoid.
class LogSigmoid : public Layer<LogSigmoid> {
 public:
  TAPER_LAYER(LogSigmoid)
  Tensor forward(const Tensor& input) const;
};

/// Applies Tanhshrink(x) = x - tanh(x) element-wise. PyTorch: torch.nn.Tanhshrink.
class Tanhshrink : public Layer<Tanhshrink> {
 public:
  TAPER_LAYER(Tanhshrink)
  Tensor forward(const Tensor& input) const;
};

using GLUOptions = functional::GLUFuncOptions;

/// Computes a * sigmoid(b), where a and b are the halves of the input along `dim`.
/// PyTorch: torch.nn.GLU.
class GLU : public Layer<GLU, Configured<GLUOptions>> {
 public:
  explicit GLU(const GLUOptions& options = {}) : Layer(options) {}
  template <std::convertible_to<IntArg> N> explicit GLU(N along) : GLU(GLUOptions{along}) {}
  TAPER_LAYER(GLU)
  /// Throws ShapeError if the size of the dimension is odd.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
