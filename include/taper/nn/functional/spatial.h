// Rearrangement and resampling of spatial dimensions.
#pragma once
#include "taper/core/api.h"
#include "taper/core/tensor.h"
#include "taper/ops/spatial.h"

namespace TAPER_API taper {
namespace nn::functional {

/// Functions of taper/ops/spatial.h. PyTorch: the functions of these names in torch.nn.functional.
using taper::adaptive_avg_pool1d;
using taper::adaptive_avg_pool3d;
using taper::channel_shuffle;
using taper::interpolate;
using taper::pixel_shuffle;
using taper::pixel_unshuffle;

/// Returns the sliding blocks of an image `(N, C, H, W)`, or `(C, H, W)`, as columns
/// `(N, C * kH * kW, L)`, or `(C * kH * kW, L)`, where L is the number of block positions. Throws
/// ShapeError if the input or the result is empty or an argument is out of range.
/// PyTorch: torch.nn.functional.unfold.
Tensor unfold(const Tensor& input, const Shape& kernel_size, const SlidingBlocks& blocks = {});
/// Returns the image `(N, C, H, W)`, or `(C, H, W)`, of height and width `output_size`, to which
/// the columns `(N, C * kH * kW, L)`, or `(C * kH * kW, L)`, are added at the positions of their
/// blocks: the adjoint of unfold. Throws ShapeError if L is not the number of block positions.
/// PyTorch: torch.nn.functional.fold.
Tensor fold(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
            const SlidingBlocks& blocks = {});
/// Returns interpolate(input, options). PyTorch: torch.nn.functional.upsample.
Tensor upsample(const Tensor& input, const InterpolateOptions& options);
/// Returns interpolate(input, options) with mode "nearest".
/// PyTorch: torch.nn.functional.upsample_nearest.
Tensor upsample_nearest(const Tensor& input, InterpolateOptions options);
/// Returns interpolate(input, options) with mode "bilinear" and aligned corners.
/// PyTorch: torch.nn.functional.upsample_bilinear.
Tensor upsample_bilinear(const Tensor& input, InterpolateOptions options);

}  // namespace nn::functional
}  // namespace taper
