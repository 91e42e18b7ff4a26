// Pooling functions.
#pragma once
#include <utility>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"
#include "taper/ops/pool.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Functions of taper/ops/pool.h. PyTorch: the functions of these names in torch.nn.functional.
using taper::adaptive_avg_pool1d;
using taper::avg_pool1d;
using taper::max_pool1d;
using taper::max_pool1d_with_indices;
using taper::max_pool2d;
using taper::max_pool3d;
/// Options of these functions.
using taper::AvgPool1dFuncOptions;
using taper::MaxPool1dFuncOptions;
using taper::MaxPool2dFuncOptions;
using taper::MaxPool3dFuncOptions;

/// Return the maximum of each window and its position within the channel (i64), in row-major order:
/// h * W + w. Arguments, shapes and errors are those of max_pool2d and max_pool3d.
/// PyTorch: torch.nn.functional.max_pool2d and max_pool3d with return_indices=True.
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool2dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes,
          ::taper::detail::SizesArgument D = ::taper::detail::BracedSizes>
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                                const Shape& kernel_size,
                                                                const S& stride,
                                                                const P& padding = {0},
                                                                const D& dilation = {1}) {
  return max_pool2d_with_indices(
      input, kernel_size,
      {.stride = Shape(stride), .padding = Shape(padding), .dilation = Shape(dilation)});
}
[[nodiscard]] std::pair<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool3dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes,
          ::taper::detail::SizesArgument D = ::taper::detail::BracedSizes>
[[nodiscard]] std::pair<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                                const Shape& kernel_size,
                                                                const S& stride,
                                                                const P& padding = {0},
                                                                const D& dilation = {1}) {
  return max_pool3d_with_indices(
      input, kernel_size,
      {.stride = Shape(stride), .padding = Shape(padding), .dilation = Shape(dilation)});
}

/// Options of avg_pool2d and avg_pool3d, and of the layers nn::AvgPool2d and nn::AvgPool3d. Lists
/// have one number per spatial dimension, or one number that applies to all.
struct AvgPool2dFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};         ///< default, or if empty: kernel_size
  Shape padding{0};               ///< implicit zero padding; at most half of the kernel size
  bool ceil_mode = false;         ///< rounds the output size up
  bool count_include_pad = true;  ///< includes the padding in the number of elements
  /// Divisor that replaces the number of elements; not 0.
  std::optional<IntArg> divisor_override{};
  TAPER_OPTIONS(stride, padding, ceil_mode, count_include_pad, divisor_override)
};
using AvgPool3dFuncOptions = AvgPool2dFuncOptions;

/// Computes the mean of each window of `input` `(N, C, H, W)`, or `(C, H, W)`. The result is
/// `(N, C, H', W')`, or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - kH) / stride) + 1
///
/// and W' accordingly. Throws ShapeError if the input, the kernel or the result is empty.
/// PyTorch: torch.nn.functional.avg_pool2d.
Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool2dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes>
Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size, const S& stride,
                  const P& padding = {0}) {
  return avg_pool2d(input, kernel_size, {.stride = Shape(stride), .padding = Shape(padding)});
}
/// As avg_pool2d, for `input` `(N, C, D, H, W)`, or `(C, D, H, W)`.
/// PyTorch: torch.nn.functional.avg_pool3d.
Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool3dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes>
Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size, const S& stride,
                  const P& padding = {0}) {
  return avg_pool3d(input, kernel_size, {.stride = Shape(stride), .padding = Shape(padding)});
}

/// Computes the means of oH x oW regions of `input` `(N, C, H, W)`, or `(C, H, W)`, where
/// output_size is (oH, oW) or one number for both, and std::nullopt is the size of the input. The
/// result is `(N, C, oH, oW)`, or `(C, oH, oW)`. Region i extends from floor(i H / oH) to
/// ceil((i + 1) H / oH), exclusive. Throws ShapeError if a size is negative.
/// PyTorch: torch.nn.functional.adaptive_avg_pool2d.
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveSize& output_size);
/// Computes the means of oD x oH x oW regions of `input` `(N, C, D, H, W)`, or `(C, D, H, W)`:
/// `(N, C, oD, oH, oW)`, or `(C, oD, oH, oW)`. Regions and errors are those of adaptive_avg_pool2d.
/// PyTorch: torch.nn.functional.adaptive_avg_pool3d.
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveSize& output_size);

/// Compute the maxima of regions of the last one, two or three dimensions of `input`, which has a
/// dimension of channels and optionally one of batches before them. Region i of a dimension of size
/// L extends from floor(i L / o) to ceil((i + 1) L / o), exclusive, where o is the output size.
/// Throw ShapeError if a size is negative or the input has an empty dimension other than the batch.
/// PyTorch: torch.nn.functional.adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d.
Tensor adaptive_max_pool1d(const Tensor& input, const AdaptiveSize& output_size);
Tensor adaptive_max_pool2d(const Tensor& input, const AdaptiveSize& output_size);
Tensor adaptive_max_pool3d(const Tensor& input, const AdaptiveSize& output_size);
/// Return the maxima and their positions within the channel (i64), in row-major order.
[[nodiscard]] std::pair<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveSize& output_size);
[[nodiscard]] std::pair<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveSize& output_size);
[[nodiscard]] std::pair<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveSize& output_size);

/// Options of lp_pool1d, lp_pool2d and lp_pool3d.
struct LPPool2dFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default, or if empty: kernel_size
  bool ceil_mode = false;  ///< rounds the output size up
};
using LPPool1dFuncOptions = LPPool2dFuncOptions;
using LPPool3dFuncOptions = LPPool2dFuncOptions;

/// Compute (sum of x^p)^(1/p) over the windows of the last one, two or three dimensions, without
/// padding; p is norm_type. Throw ValueError if norm_type is 0.
/// PyTorch: torch.nn.functional.lp_pool1d, lp_pool2d, lp_pool3d.
Tensor lp_pool1d(const Tensor& input, FloatArg norm_type, const Shape& kernel_size,
                 const LPPool1dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes>
Tensor lp_pool1d(const Tensor& input, FloatArg norm_type, const Shape& kernel_size,
                 const S& stride) {
  return lp_pool1d(input, norm_type, kernel_size, {.stride = Shape(stride)});
}
Tensor lp_pool2d(const Tensor& input, FloatArg norm_type, const Shape& kernel_size,
                 const LPPool2dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes>
Tensor lp_pool2d(const Tensor& input, FloatArg norm_type, const Shape& kernel_size,
                 const S& stride) {
  return lp_pool2d(input, norm_type, kernel_size, {.stride = Shape(stride)});
}
Tensor lp_pool3d(const Tensor& input, FloatArg norm_type, const Shape& kernel_size,
                 const LPPool3dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes>
Tensor lp_pool3d(const Tensor& input, FloatArg norm_type, const Shape& kernel_size,
                 const S& stride) {
  return lp_pool3d(input, norm_type, kernel_size, {.stride = Shape(stride)});
}

/// Options of max_unpool1d, max_unpool2d and max_unpool3d.
struct MaxUnpool2dFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default, or if empty: kernel_size
  Shape padding{0};
  /// The last sizes or all, each less than one stride away from the default size
  /// `(n - 1) * stride - 2 * padding + kernel_size`.
  OptionalShape output_size{};
};
using MaxUnpool1dFuncOptions = MaxUnpool2dFuncOptions;
using MaxUnpool3dFuncOptions = MaxUnpool2dFuncOptions;

/// Invert max_pool1d, max_pool2d and max_pool3d: write the elements of `input` to the positions
/// `indices` (i64) of a tensor of zeros. Throw ShapeError if the shapes differ, DTypeError for
/// indices of another dtype, IndexError for an index out of range, ValueError for an impossible
/// output size. PyTorch: torch.nn.functional.max_unpool1d, max_unpool2d, max_unpool3d.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const MaxUnpool1dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes>
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const S& stride, const P& padding = {0}) {
  return max_unpool1d(input, indices, kernel_size,
                      {.stride = Shape(stride), .padding = Shape(padding)});
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const MaxUnpool2dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes>
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const S& stride, const P& padding = {0}) {
  return max_unpool2d(input, indices, kernel_size,
                      {.stride = Shape(stride), .padding = Shape(padding)});
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const MaxUnpool3dFuncOptions& options = {});
template <::taper::detail::SizesArgument S = ::taper::detail::OptionalBracedSizes,
          ::taper::detail::SizesArgument P = ::taper::detail::BracedSizes>
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const S& stride, const P& padding = {0}) {
  return max_unpool3d(input, indices, kernel_size,
                      {.stride = Shape(stride), .padding = Shape(padding)});
}

/// Options of fractional_max_pool2d and fractional_max_pool3d: one of output_size and output_ratio.
struct FractionalMaxPool2dFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape output_size{};
  OptionalNumbers output_ratio{};  ///< output over input size, between 0 and 1
  /// Numbers in [0, 1) of shape `(N, C, dimensions)`, which determine the regions; default: drawn
  /// from the default generator.
  OptionalTensor _random_samples{};
};
using FractionalMaxPool3dFuncOptions = FractionalMaxPool2dFuncOptions;

/// Compute the maxima of windows whose positions are pseudo-random, of `input` `(N, C, H, W)` or
/// `(N, C, D, H, W)`, with optional N. Throw ValueError unless exactly one of output_size and
/// output_ratio is given, ShapeError if the windows do not fit.
/// Source: B. Graham, Fractional Max-Pooling, 2014.
/// PyTorch: torch.nn.functional.fractional_max_pool2d, fractional_max_pool3d.
Tensor fractional_max_pool2d(const Tensor& input, const Shape& kernel_size,
                             const FractionalMaxPool2dFuncOptions& options);
Tensor fractional_max_pool3d(const Tensor& input, const Shape& kernel_size,
                             const FractionalMaxPool3dFuncOptions& options);
/// Return the maxima and their positions within the channel (i64), in row-major order.
[[nodiscard]] std::pair<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const Shape& kernel_size, const FractionalMaxPool2dFuncOptions& options);
[[nodiscard]] std::pair<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const Shape& kernel_size, const FractionalMaxPool3dFuncOptions& options);

}  // namespace nn::functional
}  // namespace taper
