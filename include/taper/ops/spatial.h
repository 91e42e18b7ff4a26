// Rearrangement and resampling of spatial dimensions.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/not_bool.h"
#include "taper/core/shape.h"
#include "taper/ops/pool.h"

namespace TAPER_API taper {
class Tensor;

/// Rearranges `input` `(*, C * r^2, H, W)` to `(*, C, H * r, W * r)`, where r is the upscale
/// factor. Throws ShapeError if the number of channels is not divisible by r^2, ValueError unless r
/// > 0. PyTorch: torch.nn.functional.pixel_shuffle.
Tensor pixel_shuffle(const Tensor& input, IntArg upscale_factor);
/// Rearranges `input` `(*, C, H * r, W * r)` to `(*, C * r^2, H, W)`, where r is the downscale
/// factor: the inverse of pixel_shuffle. Throws ShapeError if height or width is not divisible by
/// r, ValueError unless r > 0. PyTorch: torch.nn.functional.pixel_unshuffle.
Tensor pixel_unshuffle(const Tensor& input, IntArg downscale_factor);
/// Divides the channels of `input` `(N, C, *)` into `groups` groups of consecutive channels and
/// interleaves the groups. The shape does not change. Throws ShapeError if C is not divisible by
/// the number of groups, ValueError unless it is positive. PyTorch: torch.channel_shuffle.
Tensor channel_shuffle(const Tensor& input, IntArg groups);

/// Positions of sliding blocks. Lists have one number per spatial dimension, or one number for
/// both.
struct SlidingBlocks {
  Shape dilation{1};
  Shape padding{0};  ///< implicit zero padding
  Shape stride{1};
};
/// Returns the columns of the sliding blocks of an image; see nn::functional::unfold.
/// PyTorch: torch.ops.aten.im2col.
Tensor im2col(const Tensor& input, const Shape& kernel_size, const SlidingBlocks& blocks = {});
/// Returns the sum of sliding blocks at their positions in an image; see nn::functional::fold.
/// PyTorch: torch.ops.aten.col2im.
Tensor col2im(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
              const SlidingBlocks& blocks = {});

/// Options of interpolate. Either `size` or `scale_factor` is given.
struct InterpolateOptions {
  std::optional<Shape> size{};  ///< output size: one number per spatial dimension, or one for all
  /// Factor of the size: one number per spatial dimension, or one for all.
  std::optional<std::vector<double>> scale_factor{};
  /// "nearest", "nearest-exact", "area", "linear" (3-D input), "bilinear", "bicubic" (4-D),
  /// "trilinear" (5-D) or "lanczos" (4-D, with antialias).
  std::string mode = "nearest";
  /// Aligns the centers of the corner elements instead of their outer edges. For the linear and
  /// cubic modes only; default false.
  std::optional<bool> align_corners{};
  /// Computes the scale from the sizes of input and output instead of `scale_factor`.
  std::optional<bool> recompute_scale_factor{};
  bool antialias = false;  ///< widens the filter when the size is reduced: 4-D bilinear and bicubic
};
/// Resamples `input` `(N, C, W)`, `(N, C, H, W)` or `(N, C, D, H, W)` to another spatial size,
/// which is `size` or floor(size of the input * scale_factor). Throws ValueError for options that
/// exclude each other or do not match the input, ShapeError for empty sizes, and
/// NotImplementedError for a mode that the dimension of the input does not support. PyTorch:
/// torch.nn.functional.interpolate.
Tensor interpolate(const Tensor& input, const InterpolateOptions& options);

/// Computes the means of oW regions of `input` `(N, C, W)`, or `(C, W)`: `(N, C, oW)`, or `(C,
/// oW)`. Regions and errors are those of adaptive_avg_pool2d. PyTorch: torch.adaptive_avg_pool1d.
Tensor adaptive_avg_pool1d(const Tensor& input, const AdaptiveSize& output_size);
/// Computes the means of oD x oH x oW regions of `input` `(N, C, D, H, W)`, or `(C, D, H, W)`:
/// `(N, C, oD, oH, oW)`, or `(C, oD, oH, oW)`. Regions and errors are those of adaptive_avg_pool2d.
/// PyTorch: torch.nn.functional.adaptive_avg_pool3d.
Tensor adaptive_avg_pool3d(const Tensor& input, const AdaptiveSize& output_size);

}  // namespace taper
