// Lazy layers, which infer their sizes from their first input.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/batchnorm.h"
#include "taper/nn/conv.h"
#include "taper/nn/lazy_module.h"
#include "taper/nn/linear.h"

namespace TAPER_API taper {
namespace nn {

/// Linear that infers in_features from the last dimension of its first input. After the first call,
/// it prints as Linear, and `describe` returns the description of a Linear. PyTorch:
/// torch.nn.LazyLinear.
class LazyLinear : public Layer<LazyLinear, Linear>, public LazyModuleMixin<LazyLinear> {
 public:
  /// Throws ValueError if out_features is negative.
  explicit LazyLinear(IntArg out_features, const LinearOptions& options = {});
  TAPER_LAYER(LazyLinear)
  /// Initializes the parameters. Throws AssertionError if loaded weights do not match the input.
  void initialize_parameters(const Tensor& input);
};

/// Conv1d that infers in_channels from its first input. PyTorch: torch.nn.LazyConv1d.
class LazyConv1d : public Layer<LazyConv1d, Conv1d>, public LazyModuleMixin<LazyConv1d> {
 public:
  LazyConv1d(IntArg out, const Shape& kernel, const ConvOptions& options = {});
  TAPER_LAYER(LazyConv1d)
  /// Initializes the parameters. Throws RuntimeError if the rank of the input is not supported,
  /// ValueError if `groups` does not divide its channels.
  void initialize_parameters(const Tensor& input);
};

/// Conv2d that infers in_channels from its first input. PyTorch: torch.nn.LazyConv2d.
class LazyConv2d : public Layer<LazyConv2d, Conv2d>, public LazyModuleMixin<LazyConv2d> {
 public:
  LazyConv2d(IntArg out, const Shape& kernel, const ConvOptions& options = {});
  TAPER_LAYER(LazyConv2d)
  /// Initializes the parameters. Throws RuntimeError if the rank of the input is not supported,
  /// ValueError if `groups` does not divide its channels.
  void initialize_parameters(const Tensor& input);
};

/// Conv3d that infers in_channels from its first input. PyTorch: torch.nn.LazyConv3d.
class LazyConv3d : public Layer<LazyConv3d, Conv3d>, public LazyModuleMixin<LazyConv3d> {
 public:
  LazyConv3d(IntArg out, const Shape& kernel, const ConvOptions& options = {});
  TAPER_LAYER(LazyConv3d)
  /// Initializes the parameters. Throws RuntimeError if the rank of the input is not supported,
  /// ValueError if `groups` does not divide its channels.
  void initialize_parameters(const Tensor& input);
};

/// ConvTranspose1d that infers in_channels from its first input.
/// PyTorch: torch.nn.LazyConvTranspose1d.
class LazyConvTranspose1d : public Layer<LazyConvTranspose1d, ConvTranspose1d>,
                            public LazyModuleMixin<LazyConvTranspose1d> {
 public:
  LazyConvTranspose1d(IntArg out, const Shape& kernel, const ConvTransposeOptions& options = {});
  TAPER_LAYER(LazyConvTranspose1d)
  TAPER_DETAIL_CONV_TRANSPOSE_CALLS(LazyConvTranspose1d, )
  /// Initializes the parameters. Throws RuntimeError if the rank of the input is not supported,
  /// ValueError if `groups` does not divide its channels.
  void initialize_parameters(const Tensor& input);
};

/// ConvTranspose2d that infers in_channels from its first input.
/// PyTorch: torch.nn.LazyConvTranspose2d.
class LazyConvTranspose2d : public Layer<LazyConvTranspose2d, ConvTranspose2d>,
                            public LazyModuleMixin<LazyConvTranspose2d> {
 public:
  LazyConvTranspose2d(IntArg out, const Shape& kernel, const ConvTransposeOptions& options = {});
  TAPER_LAYER(LazyConvTranspose2d)
  TAPER_DETAIL_CONV_TRANSPOSE_CALLS(LazyConvTranspose2d, )
  /// Initializes the parameters. Throws RuntimeError if the rank of the input is not supported,
  /// ValueError if `groups` does not divide its channels.
  void initialize_parameters(const Tensor& input);
};

/// ConvTranspose3d that infers in_channels from its first input.
/// PyTorch: torch.nn.LazyConvTranspose3d.
class LazyConvTranspose3d : public Layer<LazyConvTranspose3d, ConvTranspose3d>,
                            public LazyModuleMixin<LazyConvTranspose3d> {
 public:
  LazyConvTranspose3d(IntArg out, const Shape& kernel, const ConvTransposeOptions& options = {});
  TAPER_LAYER(LazyConvTranspose3d)
  TAPER_DETAIL_CONV_TRANSPOSE_CALLS(LazyConvTranspose3d, )
  /// Initializes the parameters. Throws RuntimeError if the rank of the input is not supported,
  /// ValueError if `groups` does not divide its channels.
  void initialize_parameters(const Tensor& input);
};

/// BatchNorm1d that infers num_features from its first input. PyTorch: torch.nn.LazyBatchNorm1d.
class LazyBatchNorm1d : public Layer<LazyBatchNorm1d, BatchNorm1d>,
                        public LazyModuleMixin<LazyBatchNorm1d> {
 public:
  explicit LazyBatchNorm1d(const BatchNormOptions& options = {});
  explicit LazyBatchNorm1d(detail::NoOptions) : LazyBatchNorm1d(BatchNormOptions{}) {}
  TAPER_LAYER(LazyBatchNorm1d)
  /// Initializes the parameters. Throws ValueError if the rank of the input is not supported.
  void initialize_parameters(const Tensor& input);
};

/// BatchNorm2d that infers num_features from its first input. PyTorch: torch.nn.LazyBatchNorm2d.
class LazyBatchNorm2d : public Layer<LazyBatchNorm2d, BatchNorm2d>,
                        public LazyModuleMixin<LazyBatchNorm2d> {
 public:
  explicit LazyBatchNorm2d(const BatchNormOptions& options = {});
  explicit LazyBatchNorm2d(detail::NoOptions) : LazyBatchNorm2d(BatchNormOptions{}) {}
  TAPER_LAYER(LazyBatchNorm2d)
  /// Initializes the parameters. Throws ValueError if the rank of the input is not supported.
  void initialize_parameters(const Tensor& input);
};

/// BatchNorm3d that infers num_features from its first input. PyTorch: torch.nn.LazyBatchNorm3d.
class LazyBatchNorm3d : public Layer<LazyBatchNorm3d, BatchNorm3d>,
                        public LazyModuleMixin<LazyBatchNorm3d> {
 public:
  explicit LazyBatchNorm3d(const BatchNormOptions& options = {});
  explicit LazyBatchNorm3d(detail::NoOptions) : LazyBatchNorm3d(BatchNormOptions{}) {}
  TAPER_LAYER(LazyBatchNorm3d)
  /// Initializes the parameters. Throws ValueError if the rank of the input is not supported.
  void initialize_parameters(const Tensor& input);
};

}  // namespace nn
}  // namespace taper
