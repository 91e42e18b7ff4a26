// Convolutions, and transposed ones.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/options.h"
#include "taper/nn/layer.h"
#include "taper/ops/conv.h"

namespace TAPER_API taper {
namespace nn {

/// Lists hold one number per spatial dimension, or one for all.
struct ConvOptions {
  TAPER_CONV_OPTIONS
  bool bias = true;
  std::string padding_mode = "zeros";  ///< or "reflect", "replicate", "circular"
  TAPER_FACTORY_OPTIONS
};

/// Lists hold one number per spatial dimension, or one for all.
struct ConvTransposeOptions {
  Shape stride{1};
  Shape padding{0};         ///< rows that the result lacks at each side
  Shape output_padding{0};  ///< rows that it has more at its end: below the stride or the dilation
  IntArg groups = 1;        ///< input and output channels are split into so many, each to each
  bool bias = true;
  Shape dilation{1};
  std::string padding_mode = "zeros";  ///< no other
  TAPER_FACTORY_OPTIONS
};

/// What the convolutions have. weight `(out_channels, in_channels / groups, k...)`, of transposed
/// ones `(in_channels, out_channels / groups, k...)`, and bias `(out_channels)` start uniform in
/// [-b, b), b = 1 / sqrt(product of the weight's dimensions but the first).
/// The options have one number per dimension in every list.
class ConvBase : public Module, public ConvFuncOptions {
 public:
  std::int64_t in_channels, out_channels;
  Shape kernel_size;
  bool transposed;
  Shape output_padding;  ///< zeros unless transposed
  std::string padding_mode;
  Parameter weight;
  std::optional<Parameter> bias;

  /// Draws the initial values again.
  void reset_parameters();
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError for sizes that are not positive, channels that `groups` does not divide,
  /// "same" padding beside strides, and words that mean nothing. Without `in` the parameters are
  /// uninitialized.
  ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out, const Shape& kernel,
           const ConvOptions& options);
  ConvBase(std::size_t rank, std::int64_t in, std::int64_t out, const Shape& kernel,
           const ConvTransposeOptions& options);
  explicit ConvBase(ConvBase&) = default;
  ConvBase(ConvBase&&) noexcept = default;
  ConvBase& operator=(ConvBase&&) = default;
  /// The input with its padding, for a mode other than zeros, which the convolution adds itself.
  Tensor padded(const Tensor& input) const;
  ConvFuncOptions without_padding() const;

 private:
  ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out, const Shape& kernel,
           const ConvFuncOptions& common, const Shape* output_padding, const std::string& mode,
           bool with_bias, const TensorOptions& tensors);
};

/// `(N, C, L)` or `(C, L)` to `(N, out_channels, L')`. PyTorch: torch.nn.Conv1d.
class Conv1d : public ConvBase {
 public:
  Conv1d(IntArg in, IntArg out, const Shape& kernel, const ConvOptions& options = {})
      : ConvBase(1, in, out, kernel, options) {}
  TAPER_LAYER(Conv1d)
  Tensor forward(const Tensor& input) const;

 protected:
  Conv1d(std::nullopt_t, IntArg out, const Shape& kernel, const ConvOptions& options)
      : ConvBase(1, std::nullopt, out, kernel, options) {}
};

/// `(N, C, H, W)` or `(C, H, W)` to `(N, out_channels, H', W')`, with
/// H' = (H + 2 padding - dilation (k - 1) - 1) / stride + 1. PyTorch: torch.nn.Conv2d.
///
///   nn::Conv2d conv(3, 64, 7, {.stride = 2, .padding = 3, .bias = false});
class Conv2d : public ConvBase {
 public:
  Conv2d(IntArg in, IntArg out, const Shape& kernel, const ConvOptions& options = {})
      : ConvBase(2, in, out, kernel, options) {}
  TAPER_LAYER(Conv2d)
  Tensor forward(const Tensor& input) const;

 protected:
  Conv2d(std::nullopt_t, IntArg out, const Shape& kernel, const ConvOptions& options)
      : ConvBase(2, std::nullopt, out, kernel, options) {}
};

/// `(N, C, D, H, W)` or `(C, D, H, W)` to `(N, out_channels, D', H', W')`.
/// PyTorch: torch.nn.Conv3d.
class Conv3d : public ConvBase {
 public:
  Conv3d(IntArg in, IntArg out, const Shape& kernel, const ConvOptions& options = {})
      : ConvBase(3, in, out, kernel, options) {}
  TAPER_LAYER(Conv3d)
  Tensor forward(const Tensor& input) const;

 protected:
  Conv3d(std::nullopt_t, IntArg out, const Shape& kernel, const ConvOptions& options)
      : ConvBase(3, std::nullopt, out, kernel, options) {}
};

/// What the transposed convolutions have. `forward` takes the size of the result, with or without
/// batch and channels, in place of output_padding.
class ConvTransposeBase : public ConvBase {
 protected:
  /// Throws as ConvBase, and ValueError for a padding mode other than zeros.
  using ConvBase::ConvBase;
  explicit ConvTransposeBase(ConvTransposeBase&) = default;
  ConvTransposeBase(ConvTransposeBase&&) noexcept = default;
  ConvTransposeBase& operator=(ConvTransposeBase&&) = default;
  /// Takes "output_size" by name.
  Value forward_kwargs(Values& args, const Value& kwargs) override;
  /// What gives a result of this size. Throws ValueError for one that cannot be.
  Shape output_padding_for(const Tensor& input, const std::optional<Shape>& output_size) const;
};

/// `(N, C, L)` or `(C, L)` to `(N, out_channels, L')`.
/// PyTorch: torch.nn.ConvTranspose1d.
class ConvTranspose1d : public ConvTransposeBase {
 public:
  ConvTranspose1d(IntArg in, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options = {})
      : ConvTransposeBase(1, in, out, kernel, options) {}
  TAPER_LAYER(ConvTranspose1d)
  Tensor forward(const Tensor& input, const std::optional<Shape>& output_size = {}) const;
};

/// `(N, C, H, W)` or `(C, H, W)` to `(N, out_channels, H', W')`, with
/// H' = (H - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1: the gradient of a
/// Conv2d by its input. PyTorch: torch.nn.ConvTranspose2d.
///
///   nn::ConvTranspose2d up(64, 32, 3, {.stride = 2, .padding = 1, .output_padding = 1});
class ConvTranspose2d : public ConvTransposeBase {
 public:
  ConvTranspose2d(IntArg in, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options = {})
      : ConvTransposeBase(2, in, out, kernel, options) {}
  TAPER_LAYER(ConvTranspose2d)
  Tensor forward(const Tensor& input, const std::optional<Shape>& output_size = {}) const;
};

/// `(N, C, D, H, W)` or `(C, D, H, W)` to `(N, out_channels, D', H', W')`.
/// PyTorch: torch.nn.ConvTranspose3d.
class ConvTranspose3d : public ConvTransposeBase {
 public:
  ConvTranspose3d(IntArg in, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options = {})
      : ConvTransposeBase(3, in, out, kernel, options) {}
  TAPER_LAYER(ConvTranspose3d)
  Tensor forward(const Tensor& input, const std::optional<Shape>& output_size = {}) const;
};

}  // namespace nn
}  // namespace taper
