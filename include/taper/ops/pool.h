// Pooling over windows.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
struct PoolMethods {};
}  // namespace ops

/// Options of max_pool2d. Lists have one number per spatial dimension, or one number for both. The
/// options of the layer are nn::MaxPool2dOptions.
struct MaxPool2dFuncOptions {
  std::optional<Shape> stride{};  ///< default, or if empty: kernel_size
  Shape padding{0};  ///< implicit padding with negative infinity; at most half of the kernel size
  Shape dilation{1};
  bool ceil_mode = false;  ///< rounds the output size up; windows may extend beyond the padding
};

/// Computes the maximum of each window of `input` `(N, C, H, W)`, or `(C, H, W)`. The result is
/// `(N, C, H', W')`, or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - dilation * (kH - 1) - 1) / stride) + 1
///
/// and W' accordingly. NaN is treated as the maximum. Throws ShapeError if the input, the kernel or
/// the result is empty. PyTorch: torch.nn.functional.max_pool2d.
Tensor max_pool2d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool2dFuncOptions& options = {});
/// Returns the maximum of each window and its index, h * W + w within the channel (i64). Shapes and
/// errors are those of max_pool2d. PyTorch: torch.nn.functional.max_pool2d with
/// return_indices=True.
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool2dFuncOptions& options = {});

/// Options of avg_pool2d and of the layer nn::AvgPool2d. Lists have one number per spatial
/// dimension, or one number for both.
struct AvgPool2dOptions {
  std::optional<Shape> stride{};  ///< default, or if empty: kernel_size
  Shape padding{0};               ///< implicit zero padding; at most half of the kernel size
  /// Rounds the output size up.
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< includes the padding in the number of elements
  /// Divisor that replaces the number of elements; not 0.
  std::optional<IntArg> divisor_override{};
};

/// Computes the mean of each window of `input` `(N, C, H, W)`, or `(C, H, W)`. The result is
/// `(N, C, H', W')`, or `(C, H', W')`, with
///
///     H' = floor((H + 2 * padding - kH) / stride) + 1
///
/// and W' accordingly. Throws ShapeError if the input, the kernel or the result is empty.
/// PyTorch: torch.nn.functional.avg_pool2d.
Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool2dOptions& options = {});

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

/// Computes the means of oH x oW regions of `input` `(N, C, H, W)`, or `(C, H, W)`, where
/// output_size is (oH, oW) or one number for both, and std::nullopt is the size of the input. The
/// result is `(N, C, oH, oW)`, or `(C, oH, oW)`. Region i extends from floor(i H / oH) to
/// ceil((i + 1) H / oH), exclusive. Throws ShapeError if a size is negative.
/// PyTorch: torch.nn.functional.adaptive_avg_pool2d.
Tensor adaptive_avg_pool2d(const Tensor& input, const AdaptiveSize& output_size);

}  // namespace taper
