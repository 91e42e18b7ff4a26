// Convolution layers and transposed convolution layers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/options.h"
#include "taper/nn/detail/output_size.h"
#include "taper/nn/layer.h"
#include "taper/ops/conv.h"

namespace TAPER_API taper {
namespace nn {

/// Options of Conv1d, Conv2d and Conv3d. Lists have one number per spatial dimension, or one number
/// that applies to all.
struct ConvOptions {
  ::taper::detail::FieldsByName by_name{};
  Shape stride{1};
  ConvPadding padding{0};
  Shape dilation{1};
  IntArg groups = 1;  ///< number of blocked connections from input to output channels
  bool bias = true;
  std::string padding_mode = "zeros";  ///< "zeros", "reflect", "replicate" or "circular"
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(stride, padding, dilation, groups, bias, padding_mode)
};
using Conv1dOptions = ConvOptions;
using Conv2dOptions = ConvOptions;
using Conv3dOptions = ConvOptions;

/// Options of ConvTranspose1d, ConvTranspose2d and ConvTranspose3d. Lists have one number per
/// spatial dimension, or one number that applies to all.
struct ConvTransposeOptions {
  ::taper::detail::FieldsByName by_name{};
  Shape stride{1};
  Shape padding{0};  ///< implicit zero padding; reduces the output size on both sides
  /// Additional size of one side of the output; must be smaller than stride or dilation.
  Shape output_padding{0};
  IntArg groups = 1;  ///< number of blocked connections from input to output channels
  bool bias = true;
  Shape dilation{1};
  std::string padding_mode = "zeros";  ///< the only supported mode
  TAPER_FACTORY_OPTIONS
  TAPER_OPTIONS(stride, padding, output_padding, groups, bias, dilation, padding_mode)
};
using ConvTranspose1dOptions = ConvTransposeOptions;
using ConvTranspose2dOptions = ConvTransposeOptions;
using ConvTranspose3dOptions = ConvTransposeOptions;

/// Base of the convolution layers. weight is `(out_channels, in_channels / groups, k...)`, or
/// `(in_channels, out_channels / groups, k...)` if transposed; bias is `(out_channels)`. Both are
/// initialized from the uniform distribution on [-b, b), b = 1 / sqrt(weight.size(1) * k...). Every
/// list has one number per spatial dimension.
class ConvBase : public Module, public ::taper::detail::ConvAttributes {
 public:
  std::int64_t in_channels, out_channels;
  Shape kernel_size;
  bool transposed;
  Shape output_padding;  ///< zero unless transposed
  std::string padding_mode;
  Parameter weight;
  std::optional<Parameter> bias;

  /// Re-initializes all parameters from the default generator.
  void reset_parameters();
  std::string extra_repr() const override;

 protected:
  /// Throws ValueError for negative sizes, if `groups` is not positive or does not divide the
  /// channels, for padding "same" with a stride other than 1, and for an unknown padding or padding
  /// mode. Without `in`, the parameters are uninitialized.
  ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out, const Shape& kernel,
           const ConvOptions& options);
  ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out, const Shape& kernel,
           const ConvTransposeOptions& options);
  explicit ConvBase(ConvBase&) = default;
  ConvBase(ConvBase&&) noexcept = default;
  ConvBase& operator=(ConvBase&&) = default;
  /// Returns the input padded according to `padding_mode`, for modes other than "zeros". The
  /// convolution itself pads with zeros.
  Tensor padded(const Tensor& input) const;
  /// Returns the convolution over `spatial` dimensions.
  Tensor convolve(std::size_t spatial, const Tensor& input) const;

 private:
  ConvBase(std::size_t rank, std::optional<std::int64_t> in, std::int64_t out, const Shape& kernel,
           const ConvAttributes& attributes, const Shape* output_padding, const std::string& mode,
           bool with_bias, const TensorOptions& tensors);
};

/// Convolution of inputs `(N, C, L)` or `(C, L)`. The output is `(N, out_channels, L')` or
/// `(out_channels, L')`, with
///
///     L' = floor((L + 2 * padding - dilation * (k - 1) - 1) / stride) + 1
///
/// PyTorch: torch.nn.Conv1d.
class Conv1d : public Layer<Conv1d, ConvBase> {
 public:
  Conv1d(IntArg in, IntArg out, const Shape& kernel, const ConvOptions& options = {})
      : Layer(1, in, out, kernel, options) {}
  template <detail::OptionByPosition O>
  Conv1d(IntArg, IntArg, const Shape&, const O&, ...) = delete;  // named: {.stride = 2}
  TAPER_LAYER(Conv1d)
  using ConvBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  Conv1d(std::nullopt_t, IntArg out, const Shape& kernel, const ConvOptions& options)
      : Layer(1, std::nullopt, out, kernel, options) {}
};

/// Convolution of inputs `(N, C, H, W)` or `(C, H, W)`. The output is `(N, out_channels, H', W')`
/// or `(out_channels, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (k - 1) - 1) / stride) + 1
///
/// and W' accordingly. PyTorch: torch.nn.Conv2d.
///
///   nn::Conv2d conv(3, 64, 7, {.stride = 2, .padding = 3, .bias = false});
class Conv2d : public Layer<Conv2d, ConvBase> {
 public:
  Conv2d(IntArg in, IntArg out, const Shape& kernel, const ConvOptions& options = {})
      : Layer(2, in, out, kernel, options) {}
  template <detail::OptionByPosition O>
  Conv2d(IntArg, IntArg, const Shape&, const O&, ...) = delete;  // named: {.stride = 2}
  TAPER_LAYER(Conv2d)
  using ConvBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  Conv2d(std::nullopt_t, IntArg out, const Shape& kernel, const ConvOptions& options)
      : Layer(2, std::nullopt, out, kernel, options) {}
};

/// Convolution of inputs `(N, C, D, H, W)` or `(C, D, H, W)`. The output is
/// `(N, out_channels, D', H', W')` or `(out_channels, D', H', W')`, with
///
///     D' = floor((D + 2 * padding - dilation * (k - 1) - 1) / stride) + 1
///
/// and H', W' accordingly. PyTorch: torch.nn.Conv3d.
class Conv3d : public Layer<Conv3d, ConvBase> {
 public:
  Conv3d(IntArg in, IntArg out, const Shape& kernel, const ConvOptions& options = {})
      : Layer(3, in, out, kernel, options) {}
  template <detail::OptionByPosition O>
  Conv3d(IntArg, IntArg, const Shape&, const O&, ...) = delete;  // named: {.stride = 2}
  TAPER_LAYER(Conv3d)
  using ConvBase::reset_parameters;
  Tensor forward(const Tensor& input) const;

 protected:
  Conv3d(std::nullopt_t, IntArg out, const Shape& kernel, const ConvOptions& options)
      : Layer(3, std::nullopt, out, kernel, options) {}
};

/// Base of the transposed convolution layers. The optional argument `output_size` of `forward`,
/// with or without batch and channel dimensions, determines the output padding instead of
/// `output_padding`: `up(x, {.output_size = {9, 9}})`, or `up(x, {9, 9})`.
class ConvTransposeBase : public ConvBase {
 public:
  static constexpr const char* forward_signature = "input, output_size=None";

 protected:
  /// Throws ValueError for the invalid arguments that ConvBase rejects, and for a padding mode
  /// other than "zeros".
  using ConvBase::ConvBase;
  explicit ConvTransposeBase(ConvTransposeBase&) = default;
  ConvTransposeBase(ConvTransposeBase&&) noexcept = default;
  ConvTransposeBase& operator=(ConvTransposeBase&&) = default;
  /// Returns the output padding that results in `output_size`. Throws ValueError if the size is not
  /// attainable.
  Shape output_padding_for(const Tensor& input, const std::optional<Shape>& output_size) const;
  /// Returns the transposed convolution over `spatial` dimensions.
  Tensor convolve(std::size_t spatial, const Tensor& input, const OutputSizeOptions& options) const;
};

/// Transposed convolution of inputs `(N, C, L)` or `(C, L)`. The output is `(N, out_channels, L')`
/// or `(out_channels, L')`, with
///
///     L' = (L - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1
///
/// PyTorch: torch.nn.ConvTranspose1d.
class ConvTranspose1d : public Layer<ConvTranspose1d, ConvTransposeBase> {
 public:
  ConvTranspose1d(IntArg in, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options = {})
      : Layer(1, in, out, kernel, options) {}
  template <detail::OptionByPosition O>
  ConvTranspose1d(IntArg, IntArg, const Shape&, const O&, ...) = delete;  // named: {.stride = 2}
  TAPER_LAYER(ConvTranspose1d)
  TAPER_DETAIL_CONV_TRANSPOSE_CALLS(ConvTranspose1d, const)
  using ConvTransposeBase::reset_parameters;
  Tensor forward(const Tensor& input, const OutputSizeOptions& options = {}) const;

 protected:
  ConvTranspose1d(std::nullopt_t, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options)
      : Layer(1, std::nullopt, out, kernel, options) {}
};

/// Transposed convolution of inputs `(N, C, H, W)` or `(C, H, W)`: the gradient of a Conv2d with
/// respect to its input. The output is `(N, out_channels, H', W')` or `(out_channels, H', W')`,
/// with
///
///     H' = (H - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1
///
/// and W' accordingly. PyTorch: torch.nn.ConvTranspose2d.
///
///   nn::ConvTranspose2d up(64, 32, 3, {.stride = 2, .padding = 1, .output_padding = 1});
class ConvTranspose2d : public Layer<ConvTranspose2d, ConvTransposeBase> {
 public:
  ConvTranspose2d(IntArg in, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options = {})
      : Layer(2, in, out, kernel, options) {}
  template <detail::OptionByPosition O>
  ConvTranspose2d(IntArg, IntArg, const Shape&, const O&, ...) = delete;  // named: {.stride = 2}
  TAPER_LAYER(ConvTranspose2d)
  TAPER_DETAIL_CONV_TRANSPOSE_CALLS(ConvTranspose2d, const)
  using ConvTransposeBase::reset_parameters;
  Tensor forward(const Tensor& input, const OutputSizeOptions& options = {}) const;

 protected:
  ConvTranspose2d(std::nullopt_t, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options)
      : Layer(2, std::nullopt, out, kernel, options) {}
};

/// Transposed convolution of inputs `(N, C, D, H, W)` or `(C, D, H, W)`. The output is
/// `(N, out_channels, D', H', W')` or `(out_channels, D', H', W')`, with
///
///     D' = (D - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1
///
/// and H', W' accordingly. PyTorch: torch.nn.ConvTranspose3d.
class ConvTranspose3d : public Layer<ConvTranspose3d, ConvTransposeBase> {
 public:
  ConvTranspose3d(IntArg in, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options = {})
      : Layer(3, in, out, kernel, options) {}
  template <detail::OptionByPosition O>
  ConvTranspose3d(IntArg, IntArg, const Shape&, const O&, ...) = delete;  // named: {.stride = 2}
  TAPER_LAYER(ConvTranspose3d)
  TAPER_DETAIL_CONV_TRANSPOSE_CALLS(ConvTranspose3d, const)
  using ConvTransposeBase::reset_parameters;
  Tensor forward(const Tensor& input, const OutputSizeOptions& options = {}) const;

 protected:
  ConvTranspose3d(std::nullopt_t, IntArg out, const Shape& kernel,
                  const ConvTransposeOptions& options)
      : Layer(3, std::nullopt, out, kernel, options) {}
};

}  // namespace nn
}  // namespace taper
