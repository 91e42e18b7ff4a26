// Convolutions and transposed convolutions.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"
#include "taper/ops/call_arguments.h"

namespace TAPER_API taper {

/// Implicit zero padding of a convolution: a count per spatial dimension, or one for all, "valid"
/// (no padding), or "same" (the output has the size of the input; if the total padding is odd, the
/// end gets the extra zero).
struct ConvPadding {
  template <std::integral I>
  requires(!std::same_as<I, bool>) ConvPadding(I zeros) : sizes(zeros) {}
  ConvPadding(std::initializer_list<Shape::Item> zeros);
  ConvPadding(Shape zeros) : sizes(std::move(zeros)) {}
  /// Throws ValueError for any string other than "valid" and "same".
  ConvPadding(std::string_view name);
  ConvPadding(const char* name) : ConvPadding(std::string_view(name)) {}
  ConvPadding(const std::string& name) : ConvPadding(std::string_view(name)) {}

  /// Returns true for "same".
  bool same() const { return word == "same"; }
  /// Returns the numbers of zeros before and after spatial dimension `d`, for the given kernel size
  /// and dilation.
  std::pair<std::int64_t, std::int64_t> sides(std::size_t d, std::int64_t kernel,
                                              std::int64_t dilation) const;

  Shape sizes{0};      ///< counts; {0} if a string was given
  std::string word{};  ///< empty if counts were given
};

/// Options of conv1d, conv2d and conv3d. Lists have one number per spatial dimension, or one number
/// that applies to all. The options of the layers are nn::ConvOptions.
struct ConvFuncOptions {
  detail::FieldsByName by_name{};
  OptionalTensor bias{};  ///< `(O)`
  Shape stride{1};
  ConvPadding padding{0};
  Shape dilation{1};
  IntArg groups = 1;  ///< number of blocked connections from input to output channels
};
using Conv1dFuncOptions = ConvFuncOptions;
using Conv2dFuncOptions = ConvFuncOptions;
using Conv3dFuncOptions = ConvFuncOptions;

/// Options of conv_transpose1d, conv_transpose2d and conv_transpose3d. Lists have one number per
/// spatial dimension, or one number that applies to all. The options of the layers are
/// nn::ConvTransposeOptions.
struct ConvTransposeFuncOptions {
  detail::FieldsByName by_name{};
  OptionalTensor bias{};  ///< `(O)`
  Shape stride{1};
  Shape padding{0};  ///< implicit zero padding; reduces the output size on both sides
  /// Additional size of one side of the output; must be smaller than stride or dilation.
  Shape output_padding{0};
  IntArg groups = 1;  ///< number of blocked connections from input to output channels
  Shape dilation{1};
};
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions;

namespace detail {

/// Attributes of a convolution.
struct ConvAttributes {
  Shape stride{1};
  ConvPadding padding{0};
  Shape dilation{1};
  std::int64_t groups = 1;
};
/// Returns `list` with one number for each of `spatial` dimensions. Throws ValueError if its length
/// is neither 1 nor `spatial`: "conv2d: expected stride to be a single integer value or a list of 2
/// values ...", for `function` "conv" and `name` "stride".
Shape per_dimension(std::string_view function, std::size_t spatial, std::string_view name,
                    const Shape& list);
/// Returns the attributes with one number per dimension in every list. Throws ValueError for a list
/// of invalid length, and for padding "same" with a stride other than 1.
ConvAttributes per_dimension(std::string_view function, std::size_t spatial,
                             ConvAttributes attributes);

/// Padding argument of a convolution: that of a SizesArgument, "valid" or "same".
template <class T>
concept ConvPaddingArgument = SizesArgument<T> || std::same_as<T, ConvPadding> ||
    std::convertible_to<const T&, std::string_view>;
template <ConvPaddingArgument P> ConvPadding conv_padding(const P& padding) {
  if constexpr (std::convertible_to<const P&, ConvPadding>)
    return padding;
  else
    return Shape(padding);
}

/// Implementations of the functions below for `spatial` dimensions. Throw TypeError if `bias` is
/// given and also an option.
Tensor conv(std::size_t spatial, const Tensor& input, const Tensor& weight, OptionalTensorRef bias,
            const ConvFuncOptions& options);
Tensor conv(std::size_t spatial, const Tensor& input, const Tensor& weight, OptionalTensorRef bias,
            const ConvAttributes& attributes);
Tensor conv_transpose(std::size_t spatial, const Tensor& input, const Tensor& weight,
                      OptionalTensorRef bias, const ConvTransposeFuncOptions& options);

}  // namespace detail

/// Computes the 2-D convolution of `input` `(N, C, H, W)`, or `(C, H, W)`, with `weight`
/// `(O, C / groups, kH, kW)`, plus an optional `bias` `(O)`. The result is `(N, O, H', W')`, or
/// `(O, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (kH - 1) - 1) / stride) + 1
///
/// and W' accordingly. Throws ShapeError if sizes, strides, dilations or groups are invalid,
/// DTypeError if the dtypes differ, TypeError if the bias is given twice.
/// PyTorch: torch.nn.functional.conv2d.
///
///   conv2d(x, w, b, {.stride = 2, .padding = "same"})
///   conv2d(x, w, {.bias = b, .groups = 2})
///   conv2d(x, w, b, {2, 2}, {1, 1})
inline Tensor conv2d(const Tensor& input, const Tensor& weight,
                     const Conv2dFuncOptions& options = {}) {
  return detail::conv(2, input, weight, {}, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor>
Tensor conv2d(const Tensor& input, const Tensor& weight, const B& bias,
              const Conv2dFuncOptions& options = {}) {
  return detail::conv(2, input, weight, bias, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor,
          detail::SizesArgument S = detail::BracedSizes,
          detail::ConvPaddingArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
Tensor conv2d(const Tensor& input, const Tensor& weight, const B& bias, const S& stride,
              const P& padding = {0}, const D& dilation = {1}, IntArg groups = 1) {
  return detail::conv(2, input, weight, bias,
                      detail::ConvAttributes{Shape(stride), detail::conv_padding(padding),
                                             Shape(dilation), groups});
}
/// Computes the 1-D convolution of `input` `(N, C, L)`, or `(C, L)`, with `weight`
/// `(O, C / groups, k)`, plus an optional `bias` `(O)`. Arguments, output size and errors are as
/// for conv2d. PyTorch: torch.nn.functional.conv1d.
inline Tensor conv1d(const Tensor& input, const Tensor& weight,
                     const Conv1dFuncOptions& options = {}) {
  return detail::conv(1, input, weight, {}, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor>
Tensor conv1d(const Tensor& input, const Tensor& weight, const B& bias,
              const Conv1dFuncOptions& options = {}) {
  return detail::conv(1, input, weight, bias, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor,
          detail::SizesArgument S = detail::BracedSizes,
          detail::ConvPaddingArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
Tensor conv1d(const Tensor& input, const Tensor& weight, const B& bias, const S& stride,
              const P& padding = {0}, const D& dilation = {1}, IntArg groups = 1) {
  return detail::conv(1, input, weight, bias,
                      detail::ConvAttributes{Shape(stride), detail::conv_padding(padding),
                                             Shape(dilation), groups});
}
/// Computes the 3-D convolution of `input` `(N, C, D, H, W)`, or `(C, D, H, W)`, with `weight`
/// `(O, C / groups, kD, kH, kW)`, plus an optional `bias` `(O)`. Arguments, output size and errors
/// are as for conv2d. PyTorch: torch.nn.functional.conv3d.
inline Tensor conv3d(const Tensor& input, const Tensor& weight,
                     const Conv3dFuncOptions& options = {}) {
  return detail::conv(3, input, weight, {}, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor>
Tensor conv3d(const Tensor& input, const Tensor& weight, const B& bias,
              const Conv3dFuncOptions& options = {}) {
  return detail::conv(3, input, weight, bias, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor,
          detail::SizesArgument S = detail::BracedSizes,
          detail::ConvPaddingArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
Tensor conv3d(const Tensor& input, const Tensor& weight, const B& bias, const S& stride,
              const P& padding = {0}, const D& dilation = {1}, IntArg groups = 1) {
  return detail::conv(3, input, weight, bias,
                      detail::ConvAttributes{Shape(stride), detail::conv_padding(padding),
                                             Shape(dilation), groups});
}

/// Computes the 2-D transposed convolution of `input` `(N, C, H, W)`, or `(C, H, W)`, with `weight`
/// `(C, O / groups, kH, kW)`, plus an optional `bias` `(O)`: the gradient of conv2d with respect to
/// its input. The result is `(N, O, H', W')`, or `(O, H', W')`, with
///
///     H' = (H - 1) * stride - 2 * padding + dilation * (kH - 1) + output_padding + 1
///
/// and W' accordingly. Throws ShapeError if sizes or options are invalid, DTypeError if the dtypes
/// differ, TypeError if the bias is given twice. PyTorch: torch.nn.functional.conv_transpose2d.
inline Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                               const ConvTranspose2dFuncOptions& options = {}) {
  return detail::conv_transpose(2, input, weight, {}, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor>
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const B& bias,
                        const ConvTranspose2dFuncOptions& options = {}) {
  return detail::conv_transpose(2, input, weight, bias, options);
}
template <
    detail::OptionalTensorArgument B = detail::NoTensor,
    detail::SizesArgument S = detail::BracedSizes, detail::SizesArgument P = detail::BracedSizes,
    detail::SizesArgument O = detail::BracedSizes, detail::SizesArgument D = detail::BracedSizes>
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const B& bias, const S& stride,
                        const P& padding = {0}, const O& output_padding = {0}, IntArg groups = 1,
                        const D& dilation = {1}) {
  return detail::conv_transpose(2, input, weight, bias,
                                {.stride = Shape(stride),
                                 .padding = Shape(padding),
                                 .output_padding = Shape(output_padding),
                                 .groups = groups,
                                 .dilation = Shape(dilation)});
}
/// Computes the 1-D transposed convolution of `input` `(N, C, L)`, or `(C, L)`, with `weight`
/// `(C, O / groups, k)`, plus an optional `bias` `(O)`. Arguments, output size and errors are as
/// for conv_transpose2d. PyTorch: torch.nn.functional.conv_transpose1d.
inline Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                               const ConvTranspose1dFuncOptions& options = {}) {
  return detail::conv_transpose(1, input, weight, {}, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor>
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const B& bias,
                        const ConvTranspose1dFuncOptions& options = {}) {
  return detail::conv_transpose(1, input, weight, bias, options);
}
template <
    detail::OptionalTensorArgument B = detail::NoTensor,
    detail::SizesArgument S = detail::BracedSizes, detail::SizesArgument P = detail::BracedSizes,
    detail::SizesArgument O = detail::BracedSizes, detail::SizesArgument D = detail::BracedSizes>
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const B& bias, const S& stride,
                        const P& padding = {0}, const O& output_padding = {0}, IntArg groups = 1,
                        const D& dilation = {1}) {
  return detail::conv_transpose(1, input, weight, bias,
                                {.stride = Shape(stride),
                                 .padding = Shape(padding),
                                 .output_padding = Shape(output_padding),
                                 .groups = groups,
                                 .dilation = Shape(dilation)});
}
/// Computes the 3-D transposed convolution of `input` `(N, C, D, H, W)`, or `(C, D, H, W)`, with
/// `weight` `(C, O / groups, kD, kH, kW)`, plus an optional `bias` `(O)`. Arguments, output size
/// and errors are as for conv_transpose2d. PyTorch: torch.nn.functional.conv_transpose3d.
inline Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                               const ConvTranspose3dFuncOptions& options = {}) {
  return detail::conv_transpose(3, input, weight, {}, options);
}
template <detail::OptionalTensorArgument B = detail::NoTensor>
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const B& bias,
                        const ConvTranspose3dFuncOptions& options = {}) {
  return detail::conv_transpose(3, input, weight, bias, options);
}
template <
    detail::OptionalTensorArgument B = detail::NoTensor,
    detail::SizesArgument S = detail::BracedSizes, detail::SizesArgument P = detail::BracedSizes,
    detail::SizesArgument O = detail::BracedSizes, detail::SizesArgument D = detail::BracedSizes>
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const B& bias, const S& stride,
                        const P& padding = {0}, const O& output_padding = {0}, IntArg groups = 1,
                        const D& dilation = {1}) {
  return detail::conv_transpose(3, input, weight, bias,
                                {.stride = Shape(stride),
                                 .padding = Shape(padding),
                                 .output_padding = Shape(output_padding),
                                 .groups = groups,
                                 .dilation = Shape(dilation)});
}

/// Options of conv_tbc.
struct ConvTbcFuncOptions {
  IntArg pad = 0;  ///< number of zeros at both ends
};
/// Convolution along time of `input` `(T, B, C_in)` with `weight` `(k, C_in, C_out)` and `bias`
/// `(C_out)`, padded with `pad` zeros at both ends: `(T', B, C_out)`. Throws ShapeError if the
/// shapes do not match. PyTorch: torch.nn.functional.conv_tbc.
Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias,
                const ConvTbcFuncOptions& options = {});
template <detail::IntegerArgument I>
Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias, I pad) {
  return conv_tbc(input, weight, bias, {.pad = static_cast<std::int64_t>(pad)});
}

}  // namespace taper
