// Activation layers. Inputs have any shape `(*)`; outputs have the shape of the input.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

/// Options of activations with an in-place form.
struct ActivationOptions {
  bool inplace = false;  ///< overwrites the input and returns it
};

/// Applies ReLU(x) = max(x, 0) element-wise. PyTorch: torch.nn.ReLU.
class ReLU : public Layer<ReLU> {
 public:
  explicit ReLU(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(ReLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Clamps each element to [min_val, max_val]. PyTorch: torch.nn.Hardtanh.
class Hardtanh : public Layer<Hardtanh> {
 public:
  /// Throws ValueError unless min_val < max_val.
  explicit Hardtanh(const Scalar& minimum = -1.0, const Scalar& maximum = 1.0,
                    const ActivationOptions& options = {});
  Scalar min_val, max_val;
  bool inplace;
  TAPER_LAYER(Hardtanh)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies ReLU6(x) = min(max(x, 0), 6) element-wise. PyTorch: torch.nn.ReLU6.
class ReLU6 : public Layer<ReLU6> {
 public:
  explicit ReLU6(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(ReLU6)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies LeakyReLU(x) = x if x > 0, otherwise negative_slope * x. PyTorch: torch.nn.LeakyReLU.
class LeakyReLU : public Layer<LeakyReLU> {
 public:
  explicit LeakyReLU(FloatArg slope = 0.01, const ActivationOptions& options = {})
      : negative_slope(slope), inplace(options.inplace) {}
  double negative_slope;
  bool inplace;
  TAPER_LAYER(LeakyReLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies RReLU(x) = x if x >= 0, otherwise a * x. In training mode, `a` is drawn for each element
/// from the uniform distribution on [lower, upper); in evaluation mode, a = (lower + upper) / 2.
/// PyTorch: torch.nn.RReLU.
class RReLU : public Layer<RReLU> {
 public:
  explicit RReLU(FloatArg lowest = 1.0 / 8, FloatArg highest = 1.0 / 3,
                 const ActivationOptions& options = {})
      : lower(lowest), upper(highest), inplace(options.inplace) {}
  double lower, upper;
  bool inplace;
  TAPER_LAYER(RReLU)
  /// Throws ValueError if lower > upper.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Threshold(x) = x if x > threshold, otherwise `value`. PyTorch: torch.nn.Threshold.
class Threshold : public Layer<Threshold> {
 public:
  Threshold(const Scalar& limit, const Scalar& otherwise, const ActivationOptions& options = {})
      : threshold(limit), value(otherwise), inplace(options.inplace) {}
  Scalar threshold, value;
  bool inplace;
  TAPER_LAYER(Threshold)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies ELU(x) = x if x > 0, otherwise alpha * (exp(x) - 1). PyTorch: torch.nn.ELU.
class ELU : public Layer<ELU> {
 public:
  explicit ELU(const Scalar& below = 1.0, const ActivationOptions& options = {})
      : alpha(below), inplace(options.inplace) {}
  Scalar alpha;
  bool inplace;
  TAPER_LAYER(ELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies SELU(x) = scale * (x if x > 0, otherwise alpha * (exp(x) - 1)) with alpha = 1.67326...
/// and scale = 1.05070..., which drive activations toward mean 0 and variance 1.
/// PyTorch: torch.nn.SELU.
class SELU : public Layer<SELU> {
 public:
  explicit SELU(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(SELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Hardswish(x) = x * min(max(x + 3, 0), 6) / 6. PyTorch: torch.nn.Hardswish.
class Hardswish : public Layer<Hardswish> {
 public:
  explicit Hardswish(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(Hardswish)
  Tensor forward(const Tensor& input) const;
};

/// Applies Hardshrink(x) = x if |x| > lambd, otherwise 0. PyTorch: torch.nn.Hardshrink.
class Hardshrink : public Layer<Hardshrink> {
 public:
  explicit Hardshrink(const Scalar& edge = 0.5) : lambd(edge) {}
  Scalar lambd;
  TAPER_LAYER(Hardshrink)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Softshrink(x) = sign(x) * max(|x| - lambd, 0). PyTorch: torch.nn.Softshrink.
class Softshrink : public Layer<Softshrink> {
 public:
  explicit Softshrink(const Scalar& edge = 0.5) : lambd(edge) {}
  Scalar lambd;
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

/// Applies SiLU(x) = x * sigmoid(x) element-wise. PyTorch: torch.nn.SiLU.
class SiLU : public Layer<SiLU> {
 public:
  explicit SiLU(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(SiLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Mish(x) = x * tanh(softplus(x)) element-wise. PyTorch: torch.nn.Mish.
class Mish : public Layer<Mish> {
 public:
  explicit Mish(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(Mish)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Hardsigmoid(x) = min(max(x + 3, 0), 6) / 6 element-wise. PyTorch: torch.nn.Hardsigmoid.
class Hardsigmoid : public Layer<Hardsigmoid> {
 public:
  explicit Hardsigmoid(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(Hardsigmoid)
  Tensor forward(const Tensor& input) const;
};

/// Applies CELU(x) = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0). PyTorch: torch.nn.CELU.
class CELU : public Layer<CELU> {
 public:
  explicit CELU(const Scalar& below = 1.0, const ActivationOptions& options = {})
      : alpha(below), inplace(options.inplace) {}
  Scalar alpha;
  bool inplace;
  TAPER_LAYER(CELU)
  /// Throws ValueError if alpha is 0.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Applies Softplus(x) = log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.
/// PyTorch: torch.nn.Softplus.
class Softplus : public Layer<Softplus> {
 public:
  explicit Softplus(const Scalar& sharpness = 1.0, const Scalar& limit = 20.0)
      : beta(sharpness), threshold(limit) {}
  Scalar beta, threshold;
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

/// Computes a * sigmoid(b), where a and b are the halves of the input along `dim`.
/// PyTorch: torch.nn.GLU.
class GLU : public Layer<GLU> {
 public:
  explicit GLU(IntArg along = -1) : dim(along) {}
  std::int64_t dim;
  TAPER_LAYER(GLU)
  /// Throws ShapeError if the size of the dimension is odd.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

}  // namespace nn
}  // namespace taper
