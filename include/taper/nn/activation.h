// Activations.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

struct ActivationOptions {
  bool inplace = false;  ///< overwrites the input
};

/// max(x, 0). PyTorch: torch.nn.ReLU.
class ReLU : public Module {
 public:
  explicit ReLU(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(ReLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// x brought into [min_val, max_val]. PyTorch: torch.nn.Hardtanh.
class Hardtanh : public Module {
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

/// min(max(x, 0), 6). PyTorch: torch.nn.ReLU6.
class ReLU6 : public Module {
 public:
  explicit ReLU6(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(ReLU6)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// x where it is positive, else negative_slope * x. PyTorch: torch.nn.LeakyReLU.
class LeakyReLU : public Module {
 public:
  explicit LeakyReLU(FloatArg slope = 0.01, const ActivationOptions& options = {})
      : negative_slope(slope), inplace(options.inplace) {}
  double negative_slope;
  bool inplace;
  TAPER_LAYER(LeakyReLU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// x where it is positive, else x times a slope: drawn from [lower, upper) for each element in
/// training, else the mean of both. PyTorch: torch.nn.RReLU.
class RReLU : public Module {
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

/// x where it is greater than `threshold`, else `value`. PyTorch: torch.nn.Threshold.
class Threshold : public Module {
 public:
  Threshold(const Scalar& limit, const Scalar& otherwise, const ActivationOptions& options = {})
      : threshold(limit), value(otherwise), inplace(options.inplace) {}
  Scalar threshold, value;
  bool inplace;
  TAPER_LAYER(Threshold)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// x where it is positive, else alpha * (e^x - 1). PyTorch: torch.nn.ELU.
class ELU : public Module {
 public:
  explicit ELU(const Scalar& below = 1.0, const ActivationOptions& options = {})
      : alpha(below), inplace(options.inplace) {}
  Scalar alpha;
  bool inplace;
  TAPER_LAYER(ELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// ELU, both sides scaled so that activations keep mean 0 and variance 1. PyTorch: torch.nn.SELU.
class SELU : public Module {
 public:
  explicit SELU(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(SELU)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// x * min(max(x + 3, 0), 6) / 6. PyTorch: torch.nn.Hardswish.
class Hardswish : public Module {
 public:
  explicit Hardswish(const ActivationOptions& options = {}) : inplace(options.inplace) {}
  bool inplace;
  TAPER_LAYER(Hardswish)
  Tensor forward(const Tensor& input) const;
};

/// x where |x| > lambd, else 0. PyTorch: torch.nn.Hardshrink.
class Hardshrink : public Module {
 public:
  explicit Hardshrink(const Scalar& edge = 0.5) : lambd(edge) {}
  Scalar lambd;
  TAPER_LAYER(Hardshrink)
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// x brought lambd nearer to 0, at most to 0. PyTorch: torch.nn.Softshrink.
class Softshrink : public Module {
 public:
  explicit Softshrink(const Scalar& edge = 0.5) : lambd(edge) {}
  Scalar lambd;
  TAPER_LAYER(Softshrink)
  /// Throws ValueError for a negative lambd.
  Tensor forward(const Tensor& input) const;
  std::string extra_repr() const override;
};

/// Hyperbolic tangent. PyTorch: torch.nn.Tanh.
class Tanh : public Module {
 public:
  TAPER_LAYER(Tanh)
  Tensor forward(const Tensor& input) const;
};

/// 1 / (1 + exp(-x)). PyTorch: torch.nn.Sigmoid.
class Sigmoid : public Module {
 public:
  TAPER_LAYER(Sigmoid)
  Tensor forward(const Tensor& input) const;
};

}  // namespace nn
}  // namespace taper
