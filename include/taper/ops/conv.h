// Convolutions and transposed convolutions.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/optional_tensor.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

/// Implicit zero padding of a convolution: a count per spatial dimension, or one for all, "valid"
/// (no padding), or "same" (the output has the size of the input; if the total padding is odd, the
/// end gets the extra zero).
struct ConvPadding {
  template <std::integral I>
  requires(!std::same_as<I, bool>) ConvPadding(I zeros) : sizes(zeros) {}
  ConvPadding(std::initializer_list<std::int64_t> zeros) : sizes(zeros) {}
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

/// Options that functions and layers share. Lists have one number per spatial dimension, or one
/// number that applies to all. `groups` is the number of blocked connections from input to output
/// channels.
#define TAPER_CONV_OPTIONS         \
  ::taper::Shape stride{1};        \
  ::taper::ConvPadding padding{0}; \
  ::taper::Shape dilation{1};      \
  std::int64_t groups = 1;

/// Options of conv1d, conv2d and conv3d. The options of the layers are nn::ConvOptions.
struct ConvFuncOptions {
  TAPER_CONV_OPTIONS
};

namespace detail {
/// Returns `list` with one number for each of `spatial` dimensions. Throws ValueError if its length
/// is neither 1 nor `spatial`: "conv2d: expected stride to be a single integer value or a list of 2
/// values ...", for `function` "conv" and `name` "stride".
Shape per_dimension(std::string_view function, std::size_t spatial, std::string_view name,
                    const Shape& list);
/// Returns the options with one number per dimension in every list. Throws ValueError for a list of
/// invalid length, and for padding "same" with a stride other than 1.
ConvFuncOptions per_dimension(std::string_view function, std::size_t spatial,
                              ConvFuncOptions options);
}  // namespace detail

/// Computes the 2-D convolution of `input` `(N, C, H, W)`, or `(C, H, W)`, with `weight`
/// `(O, C / groups, kH, kW)`, plus an optional `bias` `(O)`. The result is `(N, O, H', W')`, or
/// `(O, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (kH - 1) - 1) / stride) + 1
///
/// and W' accordingly. Throws ShapeError if sizes, strides, dilations or groups are invalid,
/// DTypeError if the dtypes differ. PyTorch: torch.nn.functional.conv2d.
Tensor conv2d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
              const ConvFuncOptions& options = {});
/// Computes the 1-D convolution of `input` `(N, C, L)`, or `(C, L)`, with `weight`
/// `(O, C / groups, k)`, plus an optional `bias` `(O)`. Output size and errors are as for conv2d.
/// PyTorch: torch.nn.functional.conv1d.
Tensor conv1d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
              const ConvFuncOptions& options = {});
/// Computes the 3-D convolution of `input` `(N, C, D, H, W)`, or `(C, D, H, W)`, with `weight`
/// `(O, C / groups, kD, kH, kW)`, plus an optional `bias` `(O)`. Output size and errors are as for
/// conv2d. PyTorch: torch.nn.functional.conv3d.
Tensor conv3d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
              const ConvFuncOptions& options = {});

/// Options of conv_transpose1d, conv_transpose2d and conv_transpose3d. Lists have one number per
/// spatial dimension, or one number that applies to all. The options of the layers are
/// nn::ConvTransposeOptions.
struct ConvTransposeFuncOptions {
  Shape stride{1};
  Shape padding{0};  ///< implicit zero padding; reduces the output size on both sides
  /// Additional size of one side of the output; must be smaller than stride or dilation.
  Shape output_padding{0};
  IntArg groups = 1;
  Shape dilation{1};
};

/// Computes the 2-D transposed convolution of `input` `(N, C, H, W)`, or `(C, H, W)`, with `weight`
/// `(C, O / groups, kH, kW)`, plus an optional `bias` `(O)`: the gradient of conv2d with respect to
/// its input. The result is `(N, O, H', W')`, or `(O, H', W')`, with
///
///     H' = (H - 1) * stride - 2 * padding + dilation * (kH - 1) + output_padding + 1
///
/// and W' accordingly. Throws ShapeError if sizes or options are invalid, DTypeError if the dtypes
/// differ. PyTorch: torch.nn.functional.conv_transpose2d.
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
                        const ConvTransposeFuncOptions& options = {});
/// Computes the 1-D transposed convolution of `input` `(N, C, L)`, or `(C, L)`, with `weight`
/// `(C, O / groups, k)`, plus an optional `bias` `(O)`. Output size and errors are as for
/// conv_transpose2d. PyTorch: torch.nn.functional.conv_transpose1d.
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
                        const ConvTransposeFuncOptions& options = {});
/// Computes the 3-D transposed convolution of `input` `(N, C, D, H, W)`, or `(C, D, H, W)`, with
/// `weight` `(C, O / groups, kD, kH, kW)`, plus an optional `bias` `(O)`. Output size and errors
/// are as for conv_transpose2d. PyTorch: torch.nn.functional.conv_transpose3d.
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, OptionalTensorRef bias = {},
                        const ConvTransposeFuncOptions& options = {});

}  // namespace taper
