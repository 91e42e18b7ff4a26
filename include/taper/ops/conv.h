// Convolutions, and transposed ones.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Zeros around the input of a convolution: a count per spatial dimension (or one for all), "valid"
/// for none, or "same" for as many as keep the size (of an odd total the last side gets the extra
/// one).
struct ConvPadding {
  template <std::integral I>
  requires(!std::same_as<I, bool>) ConvPadding(I zeros) : sizes(zeros) {}
  ConvPadding(std::initializer_list<std::int64_t> zeros) : sizes(zeros) {}
  ConvPadding(Shape zeros) : sizes(std::move(zeros)) {}
  /// Throws ValueError for any other word.
  ConvPadding(std::string_view name);
  ConvPadding(const char* name) : ConvPadding(std::string_view(name)) {}
  ConvPadding(const std::string& name) : ConvPadding(std::string_view(name)) {}

  bool same() const { return word == "same"; }
  /// Zeros in front of and behind dimension `d`, where the kernel has this size and dilation.
  std::pair<std::int64_t, std::int64_t> sides(std::size_t d, std::int64_t kernel,
                                              std::int64_t dilation) const;

  Shape sizes{0};      ///< zero where a word was given
  std::string word{};  ///< empty where counts were given
};

/// Options that functions and layers have in common: lists hold one number per spatial dimension,
/// or one for all; `groups` splits input and output channels into as many parts, each connected to
/// one part.
#define TAPER_CONV_OPTIONS         \
  ::taper::Shape stride{1};        \
  ::taper::ConvPadding padding{0}; \
  ::taper::Shape dilation{1};      \
  std::int64_t groups = 1;

/// Options of conv1d, conv2d and conv3d. Those of layers are nn::ConvOptions.
struct ConvFuncOptions {
  TAPER_CONV_OPTIONS
};

namespace detail {
/// `list` with one number for each of `spatial` dimensions. Throws ValueError for a list of another
/// length: "conv2d: expected stride to be a single integer value or a list of 2 values ...", where
/// `function` is "conv" and `name` "stride".
Shape per_dimension(std::string_view function, std::size_t spatial, std::string_view name,
                    const Shape& list);
/// Options with one number per dimension in every list. Throws also ValueError for "same" padding
/// beside strides.
ConvFuncOptions per_dimension(std::string_view function, std::size_t spatial,
                              ConvFuncOptions options);
}  // namespace detail

/// Slides `weight` (O, C / groups, kH, kW) over `input` (N, C, H, W), or (C, H, W), and adds `bias`
/// (O) if there is one: (N, O, H', W') with
/// H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1. Throws ShapeError for sizes, strides,
/// dilations and groups that do not fit, DTypeError if dtypes differ. PyTorch: F.conv2d.
Tensor conv2d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
              const ConvFuncOptions& options = {});
/// The same over one dimension: input (N, C, L), weight (O, C / groups, k). PyTorch: F.conv1d.
Tensor conv1d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
              const ConvFuncOptions& options = {});
/// The same over three: input (N, C, D, H, W), weight (O, C / groups, kD, kH, kW).
/// PyTorch: F.conv3d.
Tensor conv3d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
              const ConvFuncOptions& options = {});

/// Options of conv_transpose1d to conv_transpose3d; lists as in ConvFuncOptions. Those of layers
/// are nn::ConvTransposeOptions.
struct ConvTransposeFuncOptions {
  Shape stride{1};
  Shape padding{0};         ///< rows that the result lacks at each side
  Shape output_padding{0};  ///< rows that it has more at its end: below the stride or the dilation
  IntArg groups = 1;
  Shape dilation{1};
};

/// What a convolution with `weight` (C, O / groups, kH, kW) takes to `input` (N, C, H, W), or
/// (C, H, W), were it its gradient, plus `bias` (O) if there is one: (N, O, H', W') with
/// H' = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1. Throws ShapeError for
/// sizes and options that do not fit, DTypeError if dtypes differ. PyTorch: F.conv_transpose2d.
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
                        const ConvTransposeFuncOptions& options = {});
/// The same over one dimension: input (N, C, L), weight (C, O / groups, k).
/// PyTorch: F.conv_transpose1d.
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
                        const ConvTransposeFuncOptions& options = {});
/// The same over three: input (N, C, D, H, W), weight (C, O / groups, kD, kH, kW).
/// PyTorch: F.conv_transpose3d.
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
                        const ConvTransposeFuncOptions& options = {});

}  // namespace taper
