// Convolutions.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "taper/nn/layer.h"

namespace taper::nn {

/// Elements around an input: counts per dimension, or one for all, or "same" or "valid".
struct Padding {
  template <std::integral I> Padding(I all) : sizes(all) {}
  Padding(std::initializer_list<std::int64_t> each) : sizes(each) {}
  Padding(Shape each) : sizes(std::move(each)) {}
  Padding(const char* name) : word(name) {}
  Padding(std::string name) : word(std::move(name)) {}

  Shape sizes{0};
  std::string word;  ///< empty if counts were given
};

/// Lists hold one number per spatial dimension, or one for all.
struct ConvOptions {
  Shape stride{1};
  Padding padding{0};
  Shape dilation{1};
  std::int64_t groups = 1;  ///< input and output channels are split into so many, each to each
  bool bias = true;
  std::string padding_mode = "zeros";  ///< or "reflect", "replicate", "circular"
  std::optional<DType> dtype{};        ///< default: default_dtype()
  std::optional<Device> device{};      ///< default: cpu
};

/// What the convolutions have. weight `(out_channels, in_channels / groups, k...)` and bias
/// `(out_channels)` start uniform in [-b, b), b = 1 / sqrt(in_channels / groups * product of k).
class ConvBase : public Module {
 public:
  std::int64_t in_channels, out_channels;
  Shape kernel_size, stride;
  Padding padding;
  Shape dilation;
  std::int64_t groups;
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
  explicit ConvBase(const ConvBase&) = default;
  ConvBase(ConvBase&&) noexcept = default;
  ConvBase& operator=(ConvBase&&) = default;
  /// The input with its padding, unless that is zeros, which the convolution brings itself.
  Tensor padded(const Tensor& input) const;
};

/// `(N, C, L)` or `(C, L)` to `(N, out_channels, L')`. PyTorch: torch.nn.Conv1d.
class Conv1d : public ConvBase {
 public:
  Conv1d(std::int64_t in, std::int64_t out, const Shape& kernel, const ConvOptions& options = {})
      : ConvBase(1, in, out, kernel, options) {}
  TAPER_LAYER(Conv1d)
  Tensor forward(const Tensor& input);

 protected:
  Conv1d(std::nullopt_t, std::int64_t out, const Shape& kernel, const ConvOptions& options)
      : ConvBase(1, std::nullopt, out, kernel, options) {}
};

/// `(N, C, H, W)` or `(C, H, W)` to `(N, out_channels, H', W')`, with
/// H' = (H + 2 padding - dilation (k - 1) - 1) / stride + 1. PyTorch: torch.nn.Conv2d.
///
///   nn::Conv2d conv(3, 64, 7, {.stride = 2, .padding = 3, .bias = false});
class Conv2d : public ConvBase {
 public:
  Conv2d(std::int64_t in, std::int64_t out, const Shape& kernel, const ConvOptions& options = {})
      : ConvBase(2, in, out, kernel, options) {}
  TAPER_LAYER(Conv2d)
  Tensor forward(const Tensor& input);

 protected:
  Conv2d(std::nullopt_t, std::int64_t out, const Shape& kernel, const ConvOptions& options)
      : ConvBase(2, std::nullopt, out, kernel, options) {}
};

/// `(N, C, D, H, W)` or `(C, D, H, W)` to `(N, out_channels, D', H', W')`.
/// PyTorch: torch.nn.Conv3d.
class Conv3d : public ConvBase {
 public:
  Conv3d(std::int64_t in, std::int64_t out, const Shape& kernel, const ConvOptions& options = {})
      : ConvBase(3, in, out, kernel, options) {}
  TAPER_LAYER(Conv3d)
  Tensor forward(const Tensor& input);

 protected:
  Conv3d(std::nullopt_t, std::int64_t out, const Shape& kernel, const ConvOptions& options)
      : ConvBase(3, std::nullopt, out, kernel, options) {}
};

}  // namespace taper::nn
