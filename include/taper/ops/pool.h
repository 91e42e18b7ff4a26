// Pooling over windows and regions.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"
#include "taper/ops/call_arguments.h"

namespace TAPER_API taper {

/// Options of max_pool1d, max_pool2d and max_pool3d. Lists have one number per spatial dimension,
/// or one number that applies to all. The options of the layers are nn::MaxPool2dOptions.
struct MaxPool2dFuncOptions {
  detail::FieldsByName by_name{};
  OptionalShape stride{};  ///< default, or if empty: kernel_size
  Shape padding{0};  ///< implicit padding with negative infinity; at most half of the kernel size
  Shape dilation{1};
  bool ceil_mode = false;  ///< rounds the output size up; windows may extend beyond the padding
};
using MaxPool1dFuncOptions = MaxPool2dFuncOptions;
using MaxPool3dFuncOptions = MaxPool2dFuncOptions;

/// Computes the maximum of each window of `input` `(N, C, H, W)`, or `(C, H, W)`. The result is
/// `(N, C, H', W')`, or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (kH - 1) - 1) / stride) + 1
///
/// and W' accordingly. NaN is treated as the maximum. Throws ShapeError if the input, the kernel or
/// the result is empty. PyTorch: torch.nn.functional.max_pool2d.
///
///   max_pool2d(x, 3, {.stride = {2, 1}, .ceil_mode = true})
///   max_pool2d(x, {3, 3}, {2, 2}, {1, 1})
Tensor max_pool2d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool2dFuncOptions& options = {});
template <detail::SizesArgument S = detail::OptionalBracedSizes,
          detail::SizesArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
Tensor max_pool2d(const Tensor& input, const Shape& kernel_size, const S& stride,
                  const P& padding = {0}, const D& dilation = {1}, bool ceil_mode = false) {
  return max_pool2d(input, kernel_size,
                    {.stride = Shape(stride),
                     .padding = Shape(padding),
                     .dilation = Shape(dilation),
                     .ceil_mode = ceil_mode});
}
/// Computes the maximum of each window of `input` `(N, C, L)`, or `(C, L)`; see max_pool2d, whose
/// arguments are the same and whose formula of the output size applies to each dimension. Throws
/// ShapeError if the input, the kernel or the result is empty.
/// PyTorch: torch.nn.functional.max_pool1d.
Tensor max_pool1d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool1dFuncOptions& options = {});
template <detail::SizesArgument S = detail::OptionalBracedSizes,
          detail::SizesArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
Tensor max_pool1d(const Tensor& input, const Shape& kernel_size, const S& stride,
                  const P& padding = {0}, const D& dilation = {1}, bool ceil_mode = false) {
  return max_pool1d(input, kernel_size,
                    {.stride = Shape(stride),
                     .padding = Shape(padding),
                     .dilation = Shape(dilation),
                     .ceil_mode = ceil_mode});
}
/// As max_pool1d, for `input` `(N, C, D, H, W)`, or `(C, D, H, W)`.
/// PyTorch: torch.nn.functional.max_pool3d.
Tensor max_pool3d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool3dFuncOptions& options = {});
template <detail::SizesArgument S = detail::OptionalBracedSizes,
          detail::SizesArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
Tensor max_pool3d(const Tensor& input, const Shape& kernel_size, const S& stride,
                  const P& padding = {0}, const D& dilation = {1}, bool ceil_mode = false) {
  return max_pool3d(input, kernel_size,
                    {.stride = Shape(stride),
                     .padding = Shape(padding),
                     .dilation = Shape(dilation),
                     .ceil_mode = ceil_mode});
}
/// Returns the maximum of each window of `input` `(N, C, L)`, or `(C, L)`, and its position within
/// the channel (i64). Arguments and errors are those of max_pool1d.
/// PyTorch: torch.max_pool1d_with_indices.
[[nodiscard]] std::pair<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool1dFuncOptions& options = {});
template <detail::SizesArgument S = detail::OptionalBracedSizes,
          detail::SizesArgument P = detail::BracedSizes,
          detail::SizesArgument D = detail::BracedSizes>
[[nodiscard]] std::pair<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, const Shape& kernel_size, const S& stride, const P& padding = {0},
    const D& dilation = {1}, bool ceil_mode = false) {
  return max_pool1d_with_indices(input, kernel_size,
                                 {.stride = Shape(stride),
                                  .padding = Shape(padding),
                                  .dilation = Shape(dilation),
                                  .ceil_mode = ceil_mode});
}

/// Options of avg_pool1d.
struct AvgPool1dFuncOptions {
  detail::FieldsByName by_name{};
  OptionalShape stride{};         ///< default, or if empty: kernel_size
  Shape padding{0};               ///< implicit zero padding; at most half of the kernel size
  bool ceil_mode = false;         ///< rounds the output size up
  bool count_include_pad = true;  ///< includes the padding in the number of elements
  TAPER_OPTIONS(stride, padding, ceil_mode, count_include_pad)
};

/// Computes the mean of each window of `input` `(N, C, L)`, or `(C, L)`. The result is
/// `(N, C, L')`, or `(C, L')`, with
///
///     L' = floor((L + 2 * padding - k) / stride) + 1
///
/// Throws ShapeError if the input, the kernel or the result is empty.
/// PyTorch: torch.nn.functional.avg_pool1d.
Tensor avg_pool1d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool1dFuncOptions& options = {});
template <detail::SizesArgument S = detail::OptionalBracedSizes,
          detail::SizesArgument P = detail::BracedSizes>
Tensor avg_pool1d(const Tensor& input, const Shape& kernel_size, const S& stride,
                  const P& padding = {0}, bool ceil_mode = false, bool count_include_pad = true) {
  return avg_pool1d(input, kernel_size,
                    {.stride = Shape(stride),
                     .padding = Shape(padding),
                     .ceil_mode = ceil_mode,
                     .count_include_pad = count_include_pad});
}

/// Output size of adaptive pooling: one number for all dimensions or one per dimension, where
/// std::nullopt (None in PyTorch) is the size of the input.
class AdaptiveSize {
 public:
  AdaptiveSize(std::int64_t size);
  template <std::same_as<bool> B> AdaptiveSize(B) = delete;  // a bool is not a size
  AdaptiveSize(std::nullopt_t);
  AdaptiveSize(std::initializer_list<std::optional<IntArg>> sizes);
  AdaptiveSize(std::vector<std::optional<std::int64_t>> sizes);
  AdaptiveSize(const Shape& sizes);

  const std::vector<std::optional<std::int64_t>>& sizes() const noexcept { return sizes_; }

 private:
  std::vector<std::optional<std::int64_t>> sizes_;
};

/// Computes the means of oW regions of `input` `(N, C, W)`, or `(C, W)`: `(N, C, oW)`, or `(C,
/// oW)`. Region i extends from floor(i W / oW) to ceil((i + 1) W / oW), exclusive. Throws
/// ShapeError if the size is negative. PyTorch: torch.adaptive_avg_pool1d.
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveSize& output_size);
/// Returns the maxima of oW regions of `input` `(N, C, W)`, or `(C, W)`, which are those of
/// adaptive_avg_pool1d, and their positions within the channel (i64). Throws ShapeError if the size
/// is negative or the input has an empty dimension other than the batch.
/// PyTorch: torch.adaptive_max_pool1d.
[[nodiscard]] std::pair<Tensor, Tensor> adaptive_max_pool1d(const Tensor& input,
                                                            const AdaptiveSize& output_size);

}  // namespace taper
