// Images of any size as a network takes them.
#pragma once
#include "taper/core/tensor.h"

namespace training {

/// u8 images (N, C, h, w) of values 0 to `full` as f32 (N, C, height, width) of values 0 to 1:
/// divided by `full`, and resized bilinearly with half-pixel centres, as
/// F.interpolate(align_corners=False) does.
taper::Tensor resized(const taper::Tensor& images, int full, std::int64_t height,
                      std::int64_t width);

}  // namespace training
