// Rearrangement of spatial dimensions.
#pragma once
#include "taper/core/api.h"
#include "taper/core/not_bool.h"

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

}  // namespace taper
