// Pooling over one and three dimensions, adaptive maxima, and other kinds of pooling.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/ops/pool.h"

namespace TAPER_API taper {

/// Options of max_pool1d and max_pool3d, which are those of max_pool2d.
using MaxPool1dFuncOptions = MaxPool2dFuncOptions;
using MaxPool3dFuncOptions = MaxPool2dFuncOptions;
/// Options of avg_pool3d and of the layer nn::AvgPool3d, which are those of avg_pool2d.
using AvgPool3dOptions = AvgPool2dOptions;

/// Options of avg_pool1d and of the layer nn::AvgPool1d.
struct AvgPool1dOptions {
  std::optional<Shape> stride{};  ///< default, or if empty: kernel_size
  Shape padding{0};               ///< implicit zero padding; at most half of the kernel size
  bool ceil_mode = false;         ///< rounds the output size up
  bool count_include_pad = true;  ///< includes the padding in the number of elements
};

/// Computes the maximum of each window of `input` `(N, C, L)`, or `(C, L)`; see max_pool2d, whose
/// formula of the output size applies to each dimension. Throws ShapeError if the input, the kernel
/// or the result is empty. PyTorch: torch.nn.functional.max_pool1d.
Tensor max_pool1d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool1dFuncOptions& options = {});
/// As max_pool1d, for `input` `(N, C, D, H, W)`, or `(C, D, H, W)`.
/// PyTorch: torch.nn.functional.max_pool3d.
Tensor max_pool3d(const Tensor& input, const Shape& kernel_size,
                  const MaxPool3dFuncOptions& options = {});
/// Return the maximum of each window and its position within the channel (i64), in row-major order.
/// PyTorch: torch.nn.functional.max_pool1d and max_pool3d with return_indices=True.
[[nodiscard]] std::pair<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool1dFuncOptions& options = {});
[[nodiscard]] std::pair<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& input, const Shape& kernel_size, const MaxPool3dFuncOptions& options = {});

/// Computes the mean of each window of `input` `(N, C, L)`, or `(C, L)`; see avg_pool2d. Throws
/// ShapeError if the input, the kernel or the result is empty.
/// PyTorch: torch.nn.functional.avg_pool1d.
Tensor avg_pool1d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool1dOptions& options = {});
/// As avg_pool1d, for `input` `(N, C, D, H, W)`, or `(C, D, H, W)`.
/// PyTorch: torch.nn.functional.avg_pool3d.
Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size,
                  const AvgPool3dOptions& options = {});

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

/// Compute (sum of x^p)^(1/p) over the windows of the last one, two or three dimensions, without
/// padding; `stride` is kernel_size by default. Throw ValueError if norm_type is 0.
/// PyTorch: torch.nn.functional.lp_pool1d, lp_pool2d, lp_pool3d.
Tensor lp_pool1d(const Tensor& input, double norm_type, const Shape& kernel_size,
                 const std::optional<Shape>& stride = {}, bool ceil_mode = false);
Tensor lp_pool2d(const Tensor& input, double norm_type, const Shape& kernel_size,
                 const std::optional<Shape>& stride = {}, bool ceil_mode = false);
Tensor lp_pool3d(const Tensor& input, double norm_type, const Shape& kernel_size,
                 const std::optional<Shape>& stride = {}, bool ceil_mode = false);

/// Invert max_pool1d, max_pool2d and max_pool3d: write the elements of `input` to the positions
/// `indices` (i64) of a tensor of zeros. Its sizes are `(n - 1) * stride - 2 * padding +
/// kernel_size` by default; `output_size` has the last sizes or all, each less than one stride
/// away. Throw ShapeError if the shapes differ, DTypeError for indices of another dtype, IndexError
/// for an index out of range, ValueError for an impossible output size.
/// PyTorch: torch.nn.functional.max_unpool1d, max_unpool2d, max_unpool3d.
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const std::optional<Shape>& stride = {}, const Shape& padding = {0},
                    const std::optional<Shape>& output_size = {});
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const std::optional<Shape>& stride = {}, const Shape& padding = {0},
                    const std::optional<Shape>& output_size = {});
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const Shape& kernel_size,
                    const std::optional<Shape>& stride = {}, const Shape& padding = {0},
                    const std::optional<Shape>& output_size = {});

/// Options of fractional_max_pool2d and fractional_max_pool3d: one of output_size and output_ratio.
struct FractionalMaxPoolFuncOptions {
  std::optional<Shape> output_size{};
  std::optional<std::vector<double>> output_ratio{};  ///< output over input size, between 0 and 1
  /// Numbers in [0, 1) of shape `(N, C, dimensions)`, which determine the regions; default: drawn
  /// from the default generator.
  Tensor random_samples{};
};

/// Compute the maxima of windows whose positions are pseudo-random, of `input` `(N, C, H, W)` or
/// `(N, C, D, H, W)`, with optional N. Throw ValueError unless exactly one of output_size and
/// output_ratio is given, ShapeError if the windows do not fit.
/// Source: B. Graham, Fractional Max-Pooling, 2014.
/// PyTorch: torch.nn.functional.fractional_max_pool2d, fractional_max_pool3d.
Tensor fractional_max_pool2d(const Tensor& input, const Shape& kernel_size,
                             const FractionalMaxPoolFuncOptions& options);
Tensor fractional_max_pool3d(const Tensor& input, const Shape& kernel_size,
                             const FractionalMaxPoolFuncOptions& options);
/// Return the maxima and their positions within the channel (i64), in row-major order.
[[nodiscard]] std::pair<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const Shape& kernel_size, const FractionalMaxPoolFuncOptions& options);
[[nodiscard]] std::pair<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const Shape& kernel_size, const FractionalMaxPoolFuncOptions& options);

}  // namespace taper
