// Rearrangement and resampling of spatial dimensions.
#pragma once
#include <optional>
#include <string>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/optional_fields.h"
#include "taper/core/tensor.h"
#include "taper/ops/spatial.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Functions of taper/ops/spatial.h. PyTorch: the functions of these names in torch.nn.functional.
using taper::channel_shuffle;
using taper::pixel_shuffle;
using taper::pixel_unshuffle;

/// Options of fold and unfold, and of the layers nn::Fold and nn::Unfold: positions of sliding
/// blocks. Lists have one number per spatial dimension, or one number for both.
struct UnfoldFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  Shape dilation{1};
  Shape padding{0};  ///< implicit zero padding
  Shape stride{1};
  TAPER_OPTIONS(dilation, padding, stride)
};
using FoldFuncOptions = UnfoldFuncOptions;

/// Returns the sliding blocks of an image `(N, C, H, W)`, or `(C, H, W)`, as columns
/// `(N, C * kH * kW, L)`, or `(C * kH * kW, L)`, where L is the number of block positions. Throws
/// ShapeError if the input or the result is empty or an argument is out of range.
/// PyTorch: torch.nn.functional.unfold.
Tensor unfold(const Tensor& input, const Shape& kernel_size, const UnfoldFuncOptions& options = {});
/// Returns the image `(N, C, H, W)`, or `(C, H, W)`, of height and width `output_size`, to which
/// the columns `(N, C * kH * kW, L)`, or `(C * kH * kW, L)`, are added at the positions of their
/// blocks: the adjoint of unfold. Throws ShapeError if L is not the number of block positions.
/// PyTorch: torch.nn.functional.fold.
Tensor fold(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
            const FoldFuncOptions& options = {});

/// Options of interpolate. Either `size` or `scale_factor` is given.
struct InterpolateFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape size{};  ///< output size: one number per spatial dimension, or one for all
  /// Factor of the size: one number per spatial dimension, or one for all.
  OptionalNumbers scale_factor{};
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
///
///   F::interpolate(x, {.size = {16, 16}})
///   F::interpolate(x, {.scale_factor = 2, .mode = "bilinear"})
Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options);

/// Options of upsample: the first of interpolate.
struct UpsampleFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape size{};                 ///< output size
  OptionalNumbers scale_factor{};       ///< factor of the size
  std::string mode = "nearest";         ///< one of the modes of interpolate
  std::optional<bool> align_corners{};  ///< aligns the centers of the corner elements
};
/// Returns interpolate with these options. PyTorch: torch.nn.functional.upsample.
Tensor upsample(const Tensor& input, const UpsampleFuncOptions& options);

/// Options of upsample_nearest and upsample_bilinear.
struct UpsampleNearestFuncOptions {
  ::taper::detail::FieldsByName by_name{};
  OptionalShape size{};            ///< output size
  OptionalNumbers scale_factor{};  ///< factor of the size
};
using UpsampleBilinearFuncOptions = UpsampleNearestFuncOptions;
/// Returns interpolate with mode "nearest". PyTorch: torch.nn.functional.upsample_nearest.
Tensor upsample_nearest(const Tensor& input, const UpsampleNearestFuncOptions& options);
/// Returns interpolate with mode "bilinear" and aligned corners.
/// PyTorch: torch.nn.functional.upsample_bilinear.
Tensor upsample_bilinear(const Tensor& input, const UpsampleBilinearFuncOptions& options);

}  // namespace nn::functional
}  // namespace taper
