// Implementations of the functions of nn that pad, move and resample pixels and are not functions
// of taper.
#pragma once
#include <string>
#include <vector>

#include "taper/core/tensor.h"

namespace taper {

/// Pads with elements of `input`: its reflection at the border, without repeating it ("reflect"),
/// its border ("replicate") or its other end ("circular"). `pad` as in constant_pad_nd. Throws
/// ValueError for another mode, ShapeError if the counts do not fit the input. PyTorch:
/// torch.ops.aten.reflection_pad2d, and those of other dimensions.
Tensor border_pad(const Tensor& input, const Shape& pad, const std::string& mode);

/// Sliding blocks of an image, and their sum at their positions. Lists have two numbers, or one.
Tensor im2col(const Tensor& input, const Shape& kernel_size, const Shape& dilation,
              const Shape& padding, const Shape& stride);
Tensor col2im(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
              const Shape& dilation, const Shape& padding, const Shape& stride);

/// Resamples `input` to the spatial size `output_size`. Positions follow from `factors`, one per
/// dimension; if there are none, from the sizes.
Tensor interpolate_to(const Tensor& input, const Shape& output_size, const std::string& mode,
                      bool align_corners, bool antialias, const std::vector<double>& factors);

}  // namespace taper
