// Resizing of images to the input of a network.
#pragma once
#include "taper/core/tensor.h"

namespace training {

/// Converts u8 images (N, C, h, w) of values 0 to `max_value` to f32 (N, C, height, width) of
/// values 0 to 1: divides by `max_value`, and resizes bilinearly with half-pixel centers, as
/// F.interpolate(align_corners=False).
taper::Tensor resize_images(const taper::Tensor& images, int max_value, std::int64_t height,
                            std::int64_t width);

}  // namespace training
