// Sampling of images at the points of a grid, which F::grid_sample checks.
#pragma once
#include <string>

#include "taper/core/api.h"

namespace TAPER_API taper {
class Tensor;

/// Computes F::grid_sample for `input` `(N, C, H, W)` and `grid` `(N, H', W', 2)`, or with one or
/// three spatial dimensions. `mode` is "bilinear", "nearest" or "bicubic", `padding_mode` is
/// "zeros", "border" or "reflection". Throws ValueError for other modes, ShapeError or DTypeError
/// if the operands do not match. PyTorch: torch.grid_sampler.
Tensor grid_sampler(const Tensor& input, const Tensor& grid, const std::string& mode,
                    const std::string& padding_mode, bool align_corners);

}  // namespace taper
