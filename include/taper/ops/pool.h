// Pooling over windows.
#pragma once
#include <optional>
#include <utility>

#include "taper/core/api.h"
#include "taper/core/shape.h"

namespace TAPER_API taper {
class Tensor;

namespace ops {
struct PoolMethods {};
}  // namespace ops

/// Options of max_pool2d; those of the layer are nn::MaxPool2dOptions. Lists hold one number for
/// both dimensions, or one for each.
struct MaxPool2dFuncOptions {
  std::optional<Shape> stride{};  ///< default: the kernel's size
  Shape padding{0};               ///< at most half of the window; counts as minus infinity
  Shape dilation{1};
  bool ceil_mode = false;  ///< rounds the output's size up: windows may end beyond the padding
};

/// The largest element of each window of `input` (N, C, H, W), or (C, H, W): (N, C, H', W') with
/// H' = (H + 2 padding - dilation (kernel - 1) - 1) / stride + 1. A NaN is larger than anything.
/// Throws ShapeError for an input, window or result without elements. PyTorch: F.max_pool2d.
Tensor max_pool2d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool2dFuncOptions& options = {});
/// Also where it was found, as h * W + w in its plane (i64). PyTorch: F.max_pool2d with
/// return_indices.
[[nodiscard]] std::pair<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool2dFuncOptions& options = {});

struct AvgPool2dOptions {
  std::optional<Shape> stride{};  ///< default: the kernel's size
  Shape padding{0};               ///< at most half of the window; zeros
  bool ceil_mode = false;
  bool count_include_pad = true;             ///< the padding counts as elements
  std::optional<IntArg> divisor_override{};  ///< divides by this instead; not 0
};

/// The mean of each window of `input` (N, C, H, W), or (C, H, W): (N, C, H', W') as max_pool2d.
/// PyTorch: F.avg_pool2d.
Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool2dOptions& options = {});

/// The means of output_size (oH, oW), or one number for both, regions of `input` (N, C, H, W), or
/// (C, H, W): (N, C, oH, oW). Region i of oH runs from floor(i H / oH) to ceil((i + 1) H / oH). A
/// size of -1 (None in PyTorch) keeps the input's. PyTorch: F.adaptive_avg_pool2d.
Tensor adaptive_avg_pool2d(const Tensor& input, const Shape& output_size);

}  // namespace taper
